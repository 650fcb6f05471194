import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allowedSecrets,
  isSecret,
  urlWithoutSecrets,
  withoutSecrets,
} from "../../lib/core/secrets.ts";

const WITHHELD = [
  "SVC_TOKEN",
  "SVC_OTA_KEY",
  "svc_ota_key",
  "SVC_BUILD_ENV",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_PROFILE",
  "AZURE_STORAGE_KEY",
  "AZURE_CLIENT_ID",
  "ARM_CLIENT_SECRET",
  "CLOUDSDK_AUTH_ACCESS_TOKEN",
  "CLOUDFLARE_API_TOKEN",
  "CF_API_KEY",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GITLAB_PAT",
  "CI_JOB_JWT",
  "NPM_TOKEN",
  "NODE_AUTH_TOKEN",
  "npm_config__auth",
  "npm_config_//registry.example/:_authToken",
  "DENO_AUTH_TOKENS",
  "GOOGLE_API_KEY",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "GOOGLE_OAUTH_ACCESS_TOKEN",
  "PLAY_SERVICE_ACCOUNT_JSON",
  "OPENAI_API_KEY",
  "STRIPE_KEY",
  "apiKey",
  "MyServicePassword",
  "APP_PRIVATE_KEY",
  "DB_PASSWORD",
  "DB_PASSWD",
  "DB_PASS",
  "DB_PWD",
  "KEYSTORE_PW",
  "PGPASSWORD",
  "MATCH_PASSWORD",
  "CSC_KEY_PASSWORD",
  "ORG_GRADLE_PROJECT_storePassword",
  "ORG_GRADLE_PROJECT_signingKey",
  "BUILD_CERTIFICATE_BASE64",
  "SLACK_WEBHOOK_URL",
  "STORE_CONNECTION_STRING",
  "SSH_AUTH_SOCK",
  "GIT_ASKPASS",
  "DOCKER_AUTH_CONFIG",
  "SYSTEM_ACCESSTOKEN",
  "CREDS",
  "FASTLANE_SESSION",
];
for (const name of WITHHELD) {
  // BUILD-6
  test(`isSecret() withholds ${name}`, () => assert.equal(isSecret(name, "x"), true));
}

const KEPT = [
  "PATH",
  "Path",
  "PATHEXT",
  "HOME",
  "PWD",
  "OLDPWD",
  "TMPDIR",
  "LANG",
  "TERM",
  "CI",
  "JAVA_HOME",
  "ANDROID_HOME",
  "ANDROID_KEYSTORE_PATH",
  "GRADLE_OPTS",
  "ORG_GRADLE_PROJECT_versionCode",
  "GITHUB_RUN_NUMBER",
  "GITHUB_WORKSPACE",
  "GOOGLE_MAPS_API",
  "GOOGLE_CLOUD_PROJECT",
  "AWSOME",
  "KEYBOARD_LAYOUT",
  "XKB_KEYMAP",
  "AUTHOR",
  "COMPASS",
  "PATTERN",
  "npm_config_registry",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "AWS_CA_BUNDLE",
  "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
  "HTTPS_PROXY",
  "ProgramFiles(x86)",
  "SystemRoot",
  "VITE_BASE",
  "DESKTOP_SESSION",
  "XDG_SESSION_TYPE",
  "DBUS_SESSION_BUS_ADDRESS",
  "GIT_AUTHOR_NAME",
];
for (const name of KEPT) {
  test(`isSecret() leaves ${name}`, () => assert.equal(isSecret(name, "/x:/y"), false));
}

for (
  const [name, value, want] of [
    ["DATABASE_URL", "postgres://me:hush@db.example/game", true],
    ["REDIS", "redis://:hush@db.example", true],
    ["SITE_URL", "https://games.example/a:b@c", false],
    ["GIT_URL", "ssh://git@games.example/a", false],
    ["ORIGIN", "https://hush@games.example/a.git", true],
    ["DEPLOY", "github_pat_11AB", true],
    ["WHO", "eyJhbGciOiJI.eyJzdWIi.c2ln", true],
    ["FLAGS", "sky -k", false],
    ["AWS_CA_BUNDLE", "https://me:hush@certs.example/ca.pem", true],
    ["SVC_CA_BUNDLE", "/etc/ca.pem", true],
    ["SIGNING", "-----BEGIN RSA PRIVATE KEY-----\nMII", true],
    ["CHAIN", "-----BEGIN CERTIFICATE-----\nMII", false],
    ["https_proxy", "http://me:hush@proxy.example:3128", false],
  ] as const
) {
  test(`isSecret() judges the value of ${name}: ${want}`, () =>
    assert.equal(isSecret(name, value), want));
}

test("withoutSecrets() leaves what the user lists, and never this service's own", () => {
  const env = {
    PATH: "/bin",
    ORG_GRADLE_PROJECT_storePassword: "a",
    GITHUB_TOKEN: "b",
    NPM_TOKEN: "c",
    SVC_OTA_KEY: "d",
    SVC_BUILD_ENV: "org_gradle_project_storepassword, NPM_TOKEN,SVC_OTA_KEY,NOT_THERE",
  };
  assert.deepEqual(withoutSecrets(env), { PATH: "/bin" });
  assert.deepEqual(withoutSecrets(env, allowedSecrets(env)), {
    PATH: "/bin",
    ORG_GRADLE_PROJECT_storePassword: "a",
    NPM_TOKEN: "c",
  });
});

for (
  const [url, shown] of [
    ["https://user:key@host.example:8443/a/b?signature=x#y", "https://host.example:8443/a/b"],
    ["http://host.example", "http://host.example/"],
    ["no address with a key", "(no URL)"],
  ] as const
) {
  test(`urlWithoutSecrets() shows ${shown}`, () => assert.equal(urlWithoutSecrets(url), shown));
}
