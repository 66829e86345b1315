/** The body of a form (RFC 6749 §4.1.3, Appendix B): its type and its character set, without compression. */

import { refuse } from "../oauth/errors.ts";
import type { TokenRequest } from "../oauth/token-endpoint/endpoint.ts";
import type { HttpRequest } from "./http-message.ts";

const FORM = "application/x-www-form-urlencoded";

/** `application/x-www-form-urlencoded`; a charset, if named, must be UTF-8. */
export function isFormType(contentType: string | undefined): boolean {
  if (contentType === FORM) return true;
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charsets = parameters.map((one) => one.trim()).filter((one) => one.startsWith("charset="));
  return type.trim() === FORM && charsets.every((charset) => /^charset="?utf-8"?$/.test(charset));
}

/** True: the body is compressed, or encoded in another way. The server decodes nothing. */
export function isEncoded(contentEncoding: string | undefined): boolean {
  return contentEncoding !== undefined && !["", "identity"].includes(contentEncoding.trim().toLowerCase());
}

export function isForm(request: HttpRequest): boolean {
  return isFormType(request.header("content-type"));
}

/** The form of a back-channel request. Refuses other bodies. */
export function backChannelForm(request: HttpRequest): TokenRequest {
  if (request.insecure) refuse("insecure_transport");
  if (request.header("early-data") === "1") refuse("too_early");
  if (isEncoded(request.header("content-encoding"))) refuse("content_encoding_refused");
  if (!isForm(request)) refuse("content_type_not_form");
  return {
    body: request.body,
    authorization: request.headers("authorization"),
    address: request.address,
    certificate: () => request.certificate(),
  };
}
