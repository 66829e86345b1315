/**
 * The actions of people: signing in, and allowing an app. Sends a browser's requests, cookies and forms without a
 * browser.
 */

import { endpoints } from "../../packages/server/src/oauth/endpoints.ts";
import { type Form, formsOf } from "../../test/support/http-browser.ts";
import { PASSWORD } from "../../test/support/test-server.ts";
import { type Exchange, run } from "../load/closed-loop.ts";
import { cookiesOf, locationOf, submit, visit } from "../load/http-bytes.ts";
import { redemption } from "../load/token-endpoint-requests.ts";
import { CHALLENGE, type Prepared } from "../prepare-database.ts";
import { inTurn, type Row } from "./row.ts";

/** More people than connections, so that nobody sends two requests at once. */
const PEOPLE = 64;

type Work = Pick<Row, "next">;

export const peopleRows: Readonly<Record<"cycle" | "sign-in", (data: Prepared, port: number) => Work | Promise<Work>>> =
  {
    "sign-in": async (data) => {
      const next = inTurn(await data.people(PEOPLE));
      return { next: () => signIn(next(), () => undefined) };
    },
    cycle: async (data, port) => {
      const next = inTurn(await signedIn(await data.people(PEOPLE), port));
      const query = new URLSearchParams({
        response_type: "code",
        client_id: data.keeping.clientId,
        redirect_uri: data.keeping.redirectUris[0] ?? "",
        scope: "read",
        state: "0123456789abcdef",
        code_challenge: CHALLENGE,
        code_challenge_method: "S256",
        // The page asks each time, even if the owner allowed the same before.
        prompt: "consent",
      });
      return { next: () => cycle(data, `${endpoints.authorization}?${query}`, next()) };
    },
  };

/** A new browser opens the page and sends the form. `then` gets the cookies of the signed-in browser. */
function signIn(username: string, then: (cookies: string) => void): Exchange {
  return {
    request: visit("/login", ""),
    answered: (page, head) => {
      const cookies = cookiesOf(head);
      const form = formOf(page, "/login");
      form.fields.set("username", username);
      form.fields.set("password", PASSWORD);
      return {
        request: submit(pathOf(form), cookies, form.fields.toString()),
        status: 303,
        answered: (_, after) => {
          then(`${cookies}; ${cookiesOf(after)}`);
          return undefined;
        },
      };
    },
  };
}

/** The cookies of each signed-in person. */
async function signedIn(usernames: readonly string[], port: number): Promise<string[]> {
  const cookies: string[] = [];
  const left = usernames.map((username) => signIn(username, (all) => cookies.push(all))).values();
  await run({ port, connections: 8, seconds: 60, next: () => left.next().value });
  return cookies;
}

/** From the app's link, over the consent page and the owner's answer, to the app's tokens. */
function cycle({ keeping }: Prepared, link: string, cookies: string): Exchange {
  return {
    request: visit(link, cookies),
    answered: (page) => {
      const form = formOf(page, "/consent");
      form.fields.set("decision", "allow");
      return {
        request: submit(pathOf(form), cookies, form.fields.toString()),
        status: 302,
        answered: (_, head) => {
          const code = new URL(locationOf(head)).searchParams.get("code") ?? "";
          return redemption(endpoints.token, keeping, code);
        },
      };
    },
  };
}

function formOf(page: string, ending: string): Form {
  const form = formsOf(page).find(({ action }) => action.split("?")[0]?.endsWith(ending));
  if (form === undefined) throw new Error(`no form to ${ending}: ${page.slice(0, 2000)}`);
  return form;
}

/** The path of the form's action. Its host is the issuer's, but the server runs on this machine. */
function pathOf({ action }: Form): string {
  const { pathname, search } = new URL(action, "https://any.test");
  return pathname + search;
}
