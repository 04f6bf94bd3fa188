// Runs the official Kaitai Struct compiler on schemas that are already parsed.
//
// stdin:  {"modules": FOLDER, "top": NAME, "specs": {NAME: SCHEMA}, "languages": [NAME]}
// stdout: {LANGUAGE: {"files": {FILE: TEXT}} or {"error": MESSAGE}}
"use strict";

const fs = require("fs");

// The compiler prints its warnings through console.log; stdout is only for the answer.
console.log = console.error;

const request = JSON.parse(fs.readFileSync(0, "utf8"));
const compiler = require(require.resolve("kaitai-struct-compiler", { paths: [request.modules] }));

const copyOf = (name) => JSON.parse(JSON.stringify(request.specs[name]));

const importer = {
  importYaml(name) {
    if (!(name in request.specs)) {
      return Promise.reject(new Error(`no schema named ${name} to import`));
    }
    return Promise.resolve(copyOf(name));
  },
};

async function compileAll() {
  const answer = {};
  for (const language of request.languages) {
    try {
      const debugMode = false;
      const files = await compiler.compile(language, copyOf(request.top), importer, debugMode);
      answer[language] = { files };
    } catch (error) {
      answer[language] = { error: String(error) };
    }
  }
  return answer;
}

compileAll().then((answer) => process.stdout.write(JSON.stringify(answer)));
