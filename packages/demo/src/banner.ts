/** The text that `npm start` prints when everything runs: where to click, and how to sign in. */

import { relative } from "node:path";
import { styleText } from "node:util";
import { API_NAME, APP_NAME } from "./demo-names-and-texts.ts";

export interface BannerFacts {
  readonly issuer: string;
  readonly clientUrl: string;
  readonly apiUrl: string;
  readonly username: string;
  readonly password: string;
  /** Where demo.json is. */
  readonly file: string;
}

/** A block of text, at most 78 columns with default addresses. `colour`: for a terminal that shows it. */
export function banner(facts: BannerFacts, colour: boolean): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const bold = (text: string) => paint("bold", text);
  const dim = (text: string) => paint("dim", text);
  const link = (text: string) => paint(["cyan", "underline"], text);
  const width = Math.max(...[facts.issuer, facts.clientUrl, facts.apiUrl].map(({ length }) => length));
  const row = (label: string, value: string, note: string) =>
    `    ${label.padEnd(17)}${value.padEnd(width)}   ${dim(note)}`;
  const step = (number: number, label: string, value: string) =>
    `    ${paint("green", String(number))}  ${label.padEnd(14)}${value}`;
  return [
    "",
    `  ${bold("Assent is running, with a demo to click through.")}`,
    "",
    step(1, "Open", link(facts.clientUrl)),
    step(2, "Press", `“${bold("Connect with Assent")}”`),
    step(3, "Sign in", `${bold(facts.username)}, password ${bold(facts.password)}`),
    step(4, "Allow", `leave “${bold("Delete your photos")}” unticked to see what the app can't do`),
    step(5, "Revoke", link(`${facts.issuer}/account/apps`)),
    "",
    row("Assent", facts.issuer, "the authorization server"),
    row("App", facts.clientUrl, `${APP_NAME}, a client`),
    row("API", facts.apiUrl, `${API_NAME}, a resource server`),
    "",
    `  ${dim(`The username and password are also in ${shortPath(facts.file)}. Your data stays for the next start.`)}`,
    `  ${dim("Ctrl+C stops all three.")}`,
    "",
    "",
  ].join("\n");
}

/** Relative to where we are, if it is below. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
