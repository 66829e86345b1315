/** A device without a browser, and the person who connects it. */

import { type Agent, type Form, type Page, postForm, signIn, type TokenAnswer } from "./http-browser.ts";
import type { TestClient, TestServer } from "./test-server.ts";

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** A public client that may connect devices. Tests override what they are about. */
export function aDeviceClient(server: TestServer, changes: Partial<TestClient> = {}): Promise<TestClient> {
  return server.addClient({
    ...{ name: "Photo TV", type: "public", redirectUris: [], responseTypes: [] },
    grantTypes: [DEVICE_GRANT, "refresh_token"],
    ...changes,
  });
}

export interface Device {
  readonly deviceCode: string;
  /** In the form that the device shows. */
  readonly userCode: string;
  readonly answer: TokenAnswer;
}

/** Requests the codes of a device. Throws if the server refuses. `headers`: where the device is, by a trusted proxy. */
export async function aDevice(
  server: Pick<TestServer, "issuer">,
  client: TestClient,
  fields: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
): Promise<Device> {
  const answer = await postForm(server, "/device_authorization", client, { scope: "read", ...fields }, headers);
  if (answer.status !== 200) throw new Error(`no codes: ${answer.status} ${JSON.stringify(answer.body)}`);
  return {
    deviceCode: String(answer.body["device_code"]),
    userCode: String(answer.body["user_code"]),
    answer,
  };
}

export function poll(
  server: Pick<TestServer, "issuer">,
  client: TestClient,
  deviceCode: string | undefined,
  fields: Record<string, string | undefined> = {},
): Promise<TokenAnswer> {
  return postForm(server, "/token", client, { grant_type: DEVICE_GRANT, device_code: deviceCode, ...fields });
}

/** The form that has a field or a button of this name. */
export function formWith(page: Page, name: string): Form {
  const form = page.forms.find(({ fields, action }) =>
    name === "decision" ? /\/device\/(consent|elsewhere)$/.test(action) : fields.has(name),
  );
  if (form === undefined) throw new Error(`no form with ${name}: ${page.status} ${page.text.slice(0, 400)}`);
  return form;
}

/** Enters a code and signs in if asked. Returns the next page. */
export async function enter(agent: Agent, userCode: string, username: string): Promise<Page> {
  const field = formWith(await agent.get("/device"), "user_code");
  const page = await agent.follow(await agent.submit(field, { user_code: userCode }));
  return page.forms.some(({ fields }) => fields.has("username")) ? signIn(agent, username, page) : page;
}

/** Goes from the code to the answer. Returns the page after it. */
export async function decide(
  agent: Agent,
  userCode: string,
  username: string,
  answer: Record<string, string | readonly string[]> = {},
): Promise<Page> {
  return agent.submit(formWith(await enter(agent, userCode, username), "decision"), { decision: "allow", ...answer });
}
