/** forward_backward and forward as JSON: about two and a half times the bytes of protobuf. */
import { tensorsOf } from "./datum.ts";
import type { Dialect } from "./dialect.ts";

export const jsonDialect: Dialect<string> = {
  name: "json",
  encodeDatum(datum) {
    const tensors = tensorsOf(datum).map(([name, values]) => {
      const dtype = values instanceof Int32Array ? "int64" : "float32";
      return `${JSON.stringify(name)}:{"data":[${listed(values)}],"dtype":"${dtype}","shape":[${values.length}]}`;
    });
    const chunk = `{"type":"encoded_text","tokens":[${datum.modelInput.join()}]}`;
    const encoded = `{"model_input":{"chunks":[${chunk}]},"loss_fn_inputs":{${tensors.join()}}}`;
    return { encoded, size: encoded.length };
  },
  body({ modelId, seqId, lossFn, config, forwardOnly }, data) {
    const route = forwardOnly ? "forward" : "forward_backward";
    const settings = Object.keys(config).length === 0 ? "" : `,"loss_fn_config":${JSON.stringify(config)}`;
    const bytes =
      `{"${route}_input":{"data":[${data.join()}],"loss_fn":${JSON.stringify(lossFn)}${settings}},` +
      `"model_id":${JSON.stringify(modelId)},"seq_id":${seqId}}`;
    return { route, contentType: "application/json", bytes, size: bytes.length };
  },
};

/** Nine digits give back every float32. What is not finite stands where it has no effect (checkDatum) and goes out as 0. */
function listed(values: Int32Array | Float32Array): string {
  if (values instanceof Int32Array) return values.join();
  let text = "";
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (i > 0) text += ",";
    text += Number.isInteger(value) ? value : Number.isFinite(value) ? value.toPrecision(9) : 0;
  }
  return text;
}
