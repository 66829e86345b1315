/** What the demo is made of: the names, permissions and texts that the server, the app and the API share. */

export const APP_NAME = "Paperlight Prints";
export const DEVICE_NAME = "Paperlight Frame";
export const API_NAME = "Photos API";
export const OWNER = { username: "demo", email: "demo@example.com", name: "Robin Demo", firstName: "Robin" } as const;

/** A permission of the demo's API; owners read the description after the words "It will be able to". */
export interface DemoScope {
  readonly name: string;
  readonly description: string;
  readonly optional: boolean;
  readonly sensitive: boolean;
}

export const SCOPES: readonly DemoScope[] = [
  { name: "photos:read", description: "See your photos", optional: false, sensitive: false },
  { name: "profile:read", description: "See your profile", optional: false, sensitive: false },
  { name: "photos:delete", description: "Delete your photos", optional: true, sensitive: true },
];

/** Where the app gets the answers of the authorization server. */
export const CALLBACK = "/callback";
