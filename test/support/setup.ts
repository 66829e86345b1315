/** Before each test file. Signing people in is what most of them do most: their passwords are hashed at no cost, but where `passwordsCost` is called. */

import { dangerouslyHashAtNoCost } from "../../packages/server/src/crypto/password.ts";

dangerouslyHashAtNoCost(true);
