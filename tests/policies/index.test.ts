import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { createPolicy, onlyKnownOptions, policies, policyOptionNames } from "../../policies/index.ts";
import { request } from "./requests.ts";

const folder = mkdtempSync(join(tmpdir(), "umagraph-policies-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("policies by name", () => {
  it("are these", () => {
    expect(Object.keys(policies)).toEqual([
      "openai",
      "langchain",
      "learner",
      "embedded",
      "ledger-expert",
      "extractive",
      "replay",
    ]);
  });

  it("are made from plain JSON", async () => {
    const spec = JSON.parse('{"policy": "openai", "model": "m", "baseURL": "http://127.0.0.1:1/v1", "temperature": 0}');
    expect((await createPolicy(spec)).name).toBe("openai:m");
    expect(await createPolicy({ policy: "extractive" })).toMatchObject({ name: "extractive", scripted: true });
  });

  it("an unknown name is answered with the known ones, prototype names too", async () => {
    for (const policy of ["gpt", "constructor", "__proto__", ""])
      await expect(createPolicy({ policy })).rejects.toMatchObject({
        code: "config",
        fix: "choose one of: openai, langchain, learner, embedded, ledger-expert, extractive, replay",
      });
  });

  it("a wrong option is named, with those that there are", async () => {
    const spec = { policy: "openai", model: "m", baseURL: "localhost:8000" };
    await expect(createPolicy(spec)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/^policy openai: baseURL: expected a URL such as/),
      fix: expect.stringContaining("temperature"),
    });
    await expect(createPolicy({ policy: "openai", model: "m", temperature: 7 })).rejects.toThrow(/temperature/);
    await expect(createPolicy({ policy: "replay" })).rejects.toThrow(/transcript/);
  });

  it.each([
    [{ policy: "openai", model: "m", baseUrl: "http://127.0.0.1:1/v1" }, '"baseUrl"', "did you mean baseURL?"],
    [{ policy: "openai", modle: "m" }, '"modle"', "did you mean model?"],
    [{ policy: "openai", model: "m", zzzzzzzz: 1 }, '"zzzzzzzz"', "its options: model, baseURL"],
    [{ policy: "replay", transcripts: "t" }, '"transcripts"', "did you mean transcript?"],
    [{ policy: "extractive", model: "m" }, '"model"', "it takes no options"],
    [{ policy: "ledger-expert", temperature: 1 }, '"temperature"', "its options: noise"],
    [{ policy: "embedded", baseURL: "http://127.0.0.1:1" }, '"baseURL"', "its options: model, temperature"],
  ])("an option that the policy does not have is refused, not passed over: %j", async (spec, option, fix) => {
    await expect(createPolicy(spec)).rejects.toMatchObject({
      code: "config",
      message: `policy ${spec.policy}: there is no option ${option}`,
      fix: expect.stringContaining(fix),
    });
  });

  it("an option without a value is as good as none", async () => {
    expect((await createPolicy({ policy: "extractive", model: undefined })).name).toBe("extractive");
  });

  it("options that are not meant for one policy alone are chosen by its names", async () => {
    expect(policyOptionNames("replay")).toEqual(["transcript"]);
    expect(policyOptionNames("extractive")).toEqual([]);
    expect(() => policyOptionNames("gpt")).toThrow(/there is no policy named "gpt"/);
    const shared = { model: "m", transcript: "t", timeoutMs: 5 };
    expect(onlyKnownOptions({ ...shared, policy: "openai" })).toEqual({ policy: "openai", model: "m", timeoutMs: 5 });
    expect(onlyKnownOptions({ ...shared, policy: "extractive" })).toEqual({ policy: "extractive" });
  });
});

describe("a chat model from a user's file", () => {
  const scripted = JSON.stringify(
    pathToFileURL(new URL("../../policies/scripted-chat-model.ts", import.meta.url).pathname).href,
  );
  const file = (name: string, source: string) => {
    const path = join(folder, name);
    writeFileSync(path, source);
    return path;
  };
  const source = `import { ScriptedChatModel } from ${scripted};
const model = new ScriptedChatModel({ script: () => ({ text: "from the file" }), name: "mine" });
export default model;
export const made = () => new ScriptedChatModel({ script: () => ({ text: "made" }), name: "made" });
export const notAModel = 5;`;

  it("is taken from the default export, a named one, or a function that makes it", async () => {
    const module = file("model.mts", source);
    const policy = await createPolicy({ policy: "langchain", module });
    expect(policy).toMatchObject({ name: "langchain:mine", scripted: false });
    expect((await policy.sample(request("x"))).text).toBe("from the file");
    for (const spec of [{ module: `${module}#made` }, { module, export: "made" }])
      expect((await (await createPolicy({ policy: "langchain", ...spec })).sample(request("x"))).text).toBe("made");
  });

  it("is asked for in words when it is not there", async () => {
    const module = file("other.mts", source);
    await expect(createPolicy({ policy: "langchain", module: "./no-such-file.ts" })).rejects.toThrow(
      /there is no file .*no-such-file\.ts/,
    );
    await expect(createPolicy({ policy: "langchain", module: `${module}#notAModel` })).rejects.toMatchObject({
      message: expect.stringMatching(/expected a LangChain chat model as export "notAModel"/),
      fix: "its exports: default, made, notAModel",
    });
    await expect(
      createPolicy({ policy: "langchain", module: file("broken.mts", "throw new Error('boom')") }),
    ).rejects.toThrow(/cannot be loaded: boom/);
  });
});
