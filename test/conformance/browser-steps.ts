/** What the suite's own browser does on Assent's pages: the "browser" part of a plan's configuration. */

import type { Person } from "./provider.ts";

/** A command of the suite's browser: what it does, how it finds the element, and the rest. */
type Command = readonly (string | number)[];

interface Task {
  readonly task: string;
  readonly match: string;
  /** The browser skips the task if it is at another address. */
  readonly optional?: true;
  readonly commands?: readonly Command[];
}

/** The tasks for all pages that follow an address. */
export interface Visit {
  readonly match: string;
  readonly tasks: readonly Task[];
}

/** Seconds in which a page must arrive. */
const PATIENCE = 10;

const SIGN_IN_FORM = 'form[action$="/login"]';

/** Takes a copy of the page for the log, where a person can look at it. Fails if the page has no such text. */
function copies(text: string, when: "always" | "if wanted"): Command {
  const picture = when === "always" ? "update-image-placeholder" : "update-image-placeholder-optional";
  return ["wait", "xpath", "//body", PATIENCE, text, picture];
}

function signsIn({ username, password }: Person, copy: readonly Command[]): readonly Command[] {
  return [
    ...copy,
    [
      "text",
      "css",
      `${SIGN_IN_FORM} input[name="username"]:not([type="hidden"]):not([readonly])`,
      username,
      "optional",
    ],
    ["text", "css", `${SIGN_IN_FORM} input[name="password"]`, password, "optional"],
    ["click", "css", `${SIGN_IN_FORM} button.primary`, "optional"],
  ];
}

/**
 * An authorization request: signs in and allows, where the server asks. `signInAgain`: the suite wants a copy of the
 * second sign-in page.
 */
export function authorizes(issuer: string, person: Person, signInAgain = false): Visit {
  const copy = signInAgain ? [copies("Sign in", "if wanted")] : [];
  return {
    match: `${issuer}/authorize*`,
    tasks: [
      { task: "Sign in", match: `${issuer}/*`, optional: true, commands: signsIn(person, copy) },
      {
        task: "Allow",
        match: `${issuer}/*`,
        optional: true,
        commands: [["click", "css", 'button[name="decision"][value="allow"]', "optional"]],
      },
      // A page with a form that a script posts to the client (form_post).
      {
        task: "Go to the client",
        match: `${issuer}/*`,
        optional: true,
        commands: [["wait", "contains", "/callback", PATIENCE]],
      },
      {
        task: "Arrive at the client",
        match: "*/test/a/*/callback*",
        commands: [["wait", "id", "submission_complete", PATIENCE]],
      },
    ],
  };
}

/** An authorization request that ends on the consent page, which has this text. */
export function readsConsent(issuer: string, person: Person, text: string): Visit {
  return {
    match: `${issuer}/authorize*`,
    tasks: [
      { task: "Sign in", match: `${issuer}/*`, commands: signsIn(person, []) },
      { task: "Read the question", match: `${issuer}/*`, commands: [copies(text, "always")] },
    ],
  };
}

/** An authorization request that ends on a page of the server with this text. */
export function refusesAuthorization(issuer: string, text: string): Visit {
  const match = `${issuer}/authorize*`;
  return { match, tasks: [{ task: "Read the refusal", match, commands: [copies(text, "always")] }] };
}

const YES = ["click", "css", 'button[name="sign_out"]', "optional"] as const;

/** A logout request that ends at the client. */
export function signsOut(issuer: string): Visit {
  return {
    match: `${issuer}/logout*`,
    tasks: [
      { task: "Confirm", match: `${issuer}/*`, optional: true, commands: [YES] },
      { task: "Arrive at the client", match: "*/test/a/*/post_logout_redirect*" },
    ],
  };
}

/** A logout request that ends on a page of the server with this text. `confirms`: the person first says yes. */
export function staysAfterLogout(issuer: string, text: string, confirms: boolean): Visit {
  return {
    match: `${issuer}/logout*`,
    tasks: [
      ...(confirms ? [{ task: "Confirm", match: `${issuer}/*`, commands: [YES.slice(0, 3)] }] : []),
      { task: "Read the page", match: `${issuer}/*`, commands: [copies(text, "always")] },
    ],
  };
}
