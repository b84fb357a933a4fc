// What the page carries, unpacked when it is asked for: base64 of gzipped JSON in script elements.

const loaded = new Map();

export function readBlock(name) {
  if (!loaded.has(name)) loaded.set(name, unpackBlock(name));
  return loaded.get(name);
}

async function unpackBlock(name) {
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser cannot unpack gzip (DecompressionStream is missing); use a current one");
  const element = document.querySelector(`script[data-block="${name}"]`);
  if (!element) throw new Error(`the page has no block ${name}: the file is incomplete`);
  const bytes = Uint8Array.from(atob(element.textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// A packed text is a string, or indices into the context's pieces.
export const unpackText = (packed, pieces) =>
  typeof packed === "string" || packed === null ? packed : packed.map((index) => pieces[index]).join("");
