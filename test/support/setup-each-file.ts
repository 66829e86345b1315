/**
 * Runs before each test file. Most tests sign people in, so passwords are hashed at minimal cost, unless a file calls
 * `hashPasswordsAtRealCost`.
 */

import { dangerouslyHashAtNoCost } from "../../packages/server/src/crypto/password-hashing.ts";

dangerouslyHashAtNoCost(true);
