/** Types for the used parts of packages that have no types. */

declare module "simple-oauth2" {
  export interface Token {
    readonly access_token: string;
    readonly refresh_token?: string;
    readonly token_type: string;
    readonly expires_in: number;
    readonly scope: string;
  }
  export interface AccessToken {
    readonly token: Token;
    expired(windowSeconds?: number): boolean;
    refresh(parameters?: { readonly scope?: string }): Promise<AccessToken>;
    revoke(which: "access_token" | "refresh_token"): Promise<unknown>;
    revokeAll(): Promise<void>;
  }
  export class AuthorizationCode {
    constructor(options: {
      readonly client: { readonly id: string; readonly secret: string };
      readonly auth: Readonly<Record<"tokenHost" | "tokenPath" | "authorizePath" | "revokePath", string>>;
      readonly options?: { readonly authorizationMethod?: "header" | "body" };
    });
    authorizeURL(parameters: Readonly<Record<string, string>>): string;
    getToken(parameters: Readonly<Record<string, string>>): Promise<AccessToken>;
    createToken(token: Token): AccessToken;
  }
}

declare module "passport-oauth2" {
  export interface Options {
    readonly authorizationURL: string;
    readonly tokenURL: string;
    readonly clientID: string;
    readonly clientSecret: string;
    readonly callbackURL: string;
    readonly scope: readonly string[];
    readonly state: true;
    readonly pkce?: true;
  }
  export type Verify = (
    accessToken: string,
    refreshToken: string,
    parameters: Readonly<Record<string, unknown>>,
    profile: unknown,
    done: (error: unknown, user?: unknown) => void,
  ) => void;
  export class Strategy {
    constructor(options: Options, verify: Verify);
  }
}

declare module "passport" {
  type Handler = import("express").Handler;
  export class Passport {
    use(strategy: import("passport-oauth2").Strategy): void;
    initialize(): Handler;
    session(): Handler;
    authenticate(name: string): Handler;
    serializeUser(how: (user: unknown, done: (error: unknown, id: unknown) => void) => void): void;
    deserializeUser(how: (id: unknown, done: (error: unknown, user: unknown) => void) => void): void;
  }
}

declare module "saml" {
  export const Saml20: {
    create(options: {
      readonly cert: Buffer;
      readonly key: Buffer;
      readonly issuer: string;
      readonly lifetimeInSeconds: number;
      readonly audiences: string;
      readonly recipient: string;
      readonly nameIdentifier: string;
      readonly attributes: Readonly<Record<string, string | readonly string[]>>;
      readonly signatureAlgorithm: "rsa-sha256";
      readonly digestAlgorithm: "sha256";
    }): string;
  };
}
