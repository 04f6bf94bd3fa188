// Prints what the official compiler's JavaScript reader sees, one JSON object per file.
// Usage: node kaitai_dump.js FOLDER_OF_READERS NODE_MODULES FILE...
// Integers are decimal strings, bytes are hex, floats are the hex of a big-endian double.
"use strict";
const fs = require("fs");
const Module = require("module");
const path = require("path");

const [folder, modules, ...files] = process.argv.slice(2);
process.env.NODE_PATH = modules;
Module._initPaths();
const KaitaiStream = require("kaitai-struct/KaitaiStream");
const loaded = require(path.join(folder, "Gguf.js"));
const Gguf = loaded.Gguf || loaded;

const FLOATS = new Set([6, 12]);
const hex = (bytes) => Buffer.from(bytes).toString("hex");

function double(number) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  return hex(new Uint8Array(view.buffer));
}

// The number inside the small types that the schema wraps numbers in.
function innermost(node) {
  return typeof node === "object" ? innermost(node.value) : node;
}

function value(type, node) {
  if (type === 8) return hex(node.value);
  if (type === 9) {
    const element = Number(node.elementType);
    return { element, items: node.elements.map((item) => value(element, item)) };
  }
  return FLOATS.has(type) ? double(node.value) : String(node.value);
}

function dump(data) {
  const root = new Gguf(new KaitaiStream(data));
  const body = root.body;
  return {
    version: root.version,
    big: root.isBe,
    alignment: body.alignment,
    data_start: body.ofsData,
    metadata: body.metadata.map((pair) => [
      hex(pair.key.value),
      Number(pair.valueType),
      value(Number(pair.valueType), pair.value),
    ]),
    tensors: body.tensorInfos.map((info) => [
      hex(info.name.value),
      info.dims.map((dim) => String(innermost(dim))),
      info.ggmlType,
      String(info.ofsData),
    ]),
  };
}

for (const file of files) {
  let line;
  try {
    const bytes = fs.readFileSync(file);
    line = dump(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  } catch (error) {
    line = { error: String(error && error.message ? error.message : error) };
  }
  console.log(JSON.stringify(line));
}
