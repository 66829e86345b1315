/**
 * Gives one process a wrong clock without changing the product. `node --import` this file; ASSENT_TEST_CLOCK names a
 * file that holds the offset in milliseconds. The file is read repeatedly, so that a clock can be set back while the
 * process runs.
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
