/** Texts inside HTML: data sets and models wrote them, so none may become markup or script. */
const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** For element content and quoted attributes. NUL and lone surrogates have no place in a document. */
export const escapeHtml = (text: string) =>
  text
    .toWellFormed()
    .replace(/\0/g, "\uFFFD")
    .replace(/[&<>"']/g, (found) => entities[found]!);

/** JSON that can stand in a script element: no `</script>`, no `<!--`, no line end that JavaScript knows and JSON does not. */
export const jsonForScript = (value: unknown) =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
