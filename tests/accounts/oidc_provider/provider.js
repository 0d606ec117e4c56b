// Two providers of sign-ins on 127.0.0.1, one of which takes pushed requests alone; their addresses are printed once
// both listen. Anybody signs in by any name, on the pages that the library has for development.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, home] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(createRequire(`${modules}/`).resolve("oidc-provider")));

const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" });
const client = { client_secret: "a secret of the tests alone", grant_types: ["authorization_code"] };

async function begin(pushedOnly) {
  const server = createServer();
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      { ...client, client_id: "deniable", redirect_uris: [`${home}/provider/back/`] },
      // Of a program on the machine itself the port does not matter.
      {
        ...client,
        client_id: "local",
        application_type: "native",
        redirect_uris: ["http://localhost/provider/back/", "http://127.0.0.1/provider/back/"],
      },
    ],
    jwks: { keys: [{ ...key, kid: "of the tests", use: "sig" }] },
    cookies: { keys: ["of the tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@university.example`, email_verified: true }),
    }),
    features: {
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: pushedOnly },
    },
  });
  server.on("request", provider.callback());
  return issuer;
}

console.log(JSON.stringify([await begin(false), await begin(true)]));
