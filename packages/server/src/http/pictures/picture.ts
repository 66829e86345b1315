/** The picture of a person: they upload it on their profile page, and its address shows it to anybody. */

import { mayUpload, type PictureContext, setPicture } from "../../owners/account/picture.ts";
import { pictureIdOf } from "../../owners/account/picture-address.ts";
import { renderPersonPicture } from "../../pictures/picture-of-person.ts";
import type { PageTools } from "../endpoint-contexts.ts";
import { type Account, type AccountTools, signedIn } from "../endpoints/require-sign-in.ts";
import { problemAnswer } from "../error-page.ts";
import { type Answer, type HttpRequest, redirect } from "../http-message.ts";

/** Why an upload changed nothing, as the profile page's query says. */
export const PICTURE_PROBLEMS = ["none", "too_large", "no_picture", "unreadable", "too_many", "busy"] as const;
type PictureProblem = (typeof PICTURE_PROBLEMS)[number];

interface PictureTools extends AccountTools {
  readonly account: PictureContext;
}

/** A failed upload leaves the present picture. */
export async function savePicture(http: HttpRequest, tools: PictureTools): Promise<Answer> {
  const file = http.upload?.file;
  // The form was not kept, so its token is unknown. Nothing changes.
  if (file === "too_large" || file === "busy") return back({ picture: file }, tools);
  return save(http, tools);
}

const save = signedIn(async (account, tools: PictureTools) => {
  const { http, person } = account;
  const file = http.upload?.file ?? "none";
  const wrong = (picture: PictureProblem) => back({ picture }, tools, account);
  if (typeof file === "string") return wrong("none");
  if (!(await mayUpload(person, tools.account))) return wrong("too_many");
  const rendered = await renderPersonPicture(file);
  if (rendered.kind === "refused") return wrong(rendered.problem === "too_many_bytes" ? "too_large" : rendered.problem);
  await setPicture(account, rendered.bytes, tools.account);
  return back({ done: "picture" }, tools, account);
});

export const removePicture = signedIn(async (account, tools: PictureTools) => {
  await setPicture(account, null, tools.account);
  return back({ done: "no_picture" }, tools, account);
});

/** If the session has ended meanwhile, that page leads to the sign-in. */
function back(query: Readonly<Record<string, string>>, { issuer }: PictureTools, account?: Account): Answer {
  return redirect(303, `${issuer}/account/profile?${new URLSearchParams(query)}`, account?.visitor.cookies ?? []);
}

interface ServeTools extends PageTools {
  /** Undefined: the picture was replaced or removed, or never was. */
  picture(pictureId: string): Promise<{ readonly type: string; readonly bytes: Uint8Array } | undefined>;
}

/**
 * Anybody who knows the address sees the picture, as apps show it to their users. Caches may keep it for a day, so that
 * a picture that was removed is gone everywhere by then.
 */
export async function picture(http: HttpRequest, tools: ServeTools): Promise<Answer> {
  const pictureId = pictureIdOf(http.params["file"] ?? "");
  const found = pictureId === undefined ? undefined : await tools.picture(pictureId);
  if (found === undefined) return problemAnswer("not_found", http, tools);
  const headers = {
    "content-type": found.type,
    "cache-control": "public, max-age=86400, immutable",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
  };
  return { status: 200, headers, body: found.bytes };
}
