/**
 * A form with one file as browsers send it (RFC 7578; RFC 2046 §5.1.1). It reads no other form: no preamble, no nested
 * parts, no encodings. A search for the boundary reads the body once, whatever it contains.
 */

import type { Upload } from "../http-message.ts";

/** A form of this server has two parts. */
const MOST_PARTS = 8;
/** In bytes, of one part. */
const MAX_HEADERS = 1024;
/** In bytes, of a field that is no file. */
const MAX_FIELD = 1024;

/** RFC 2046 §5.1.1. */
const BOUNDARY = /^multipart\/form-data\s*;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+.-]{1,70}))\s*$/i;
const DISPOSITION = /^content-disposition:[ \t]*form-data;[ \t]*name="([^"\r\n]*)"(;[ \t]*filename=)?/im;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined: it is no such form, is cut off, or has too many or too large parts. */
export function readMultipart(body: Buffer, contentType: string): Upload | undefined {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || body.indexOf(`--${boundary}\r\n`) !== 0) return undefined;
  const delimiter = `\r\n--${boundary}`;
  const fields = new URLSearchParams();
  let file: Uint8Array | undefined;
  let at = boundary.length + 4;
  for (let parts = 0; parts < MOST_PARTS; parts += 1) {
    const head = body.subarray(at, at + MAX_HEADERS).indexOf("\r\n\r\n");
    const start = at + head + 4;
    const end = head === -1 ? -1 : body.indexOf(delimiter, start);
    if (end === -1) return undefined;
    const [disposition, name = "", isFile] = DISPOSITION.exec(body.toString("latin1", at, start)) ?? [];
    const value = body.subarray(start, end);
    if (disposition === undefined) return undefined;
    if (isFile === undefined) {
      const text = textOf(value);
      if (text === undefined) return undefined;
      fields.append(name, text);
    } else if (file === undefined) file = value;
    else return undefined;
    at = end + delimiter.length;
    const next = body.toString("latin1", at, at + 2);
    // A browser sends an empty file if the person chose none.
    if (next === "--") return { fields, file: file === undefined || file.length === 0 ? "none" : file };
    if (next !== "\r\n") return undefined;
    at += 2;
  }
  return undefined;
}

function textOf(value: Buffer): string | undefined {
  if (value.length > MAX_FIELD) return undefined;
  try {
    return utf8.decode(value);
  } catch {
    return undefined;
  }
}
