/**
 * A wrong clock for one process, from outside of the product: `node --import` this file, and ASSENT_TEST_CLOCK names a file whose text is by how many
 * milliseconds the process's clock is off. It is read again and again, so that a clock can be set back while the process runs.
 */

import { readFileSync } from "node:fs";

const file = process.env.ASSENT_TEST_CLOCK ?? "";
const RealDate = Date;
let offset = read();
setInterval(() => {
  offset = read();
}, 20).unref();

function read() {
  return Number(readFileSync(file, "utf8")) || 0;
}

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offset);
    else super(...args);
  }

  static now() {
    return RealDate.now() + offset;
  }
};
