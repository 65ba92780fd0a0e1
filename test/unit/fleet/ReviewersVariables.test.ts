// ReviewersVariables: no variable with a secret of the fleet, and every other one.
import { Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { reviewersVariables } from "../../../src/fleet/Executor.ts"

const url = Redacted.make("postgres://ooda:s3%2Fcret@db.example/fleet")
const always = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }
const left = (variables: Record<string, string | undefined>) => reviewersVariables(variables, url)

describe("the variables of reviewers", () => {
  it.each([
    ["the store", { OODA_STORE: "postgres://db/x", DATABASE: "see postgres://db/x" }],
    ["the store with the password that is used", { DATABASE: "postgres://ooda:s3%2Fcret@db.example/fleet" }],
    ["its password", { DB_PASSWORD: "s3/cret", DB_RAW: "s3%2Fcret" }],
    ["its password in another URL", { DATABASE_URL: "postgresql://ooda:s3%2Fcret@db.example/other" }],
    ["its password behind a URL", { DATABASE_URL: "postgres://db.example/other?password=s3/cret" }],
    ["the password of the server", { PGPASSWORD: "postgres", DB_PASSWORD: "postgres", PGHOST: "db" }],
    ["the token that fetches", { OODA_FETCH_TOKEN: "t0ken", AUTH: "Bearer t0ken" }],
    ["a part of git's settings", { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b", GIT_CONFIG_VALUE_0: "c" }],
    ["git's settings in one", { GIT_CONFIG_PARAMETERS: "'a.b=c'" }]
  ])("hold nothing of %s", (_, variables) => assert.deepStrictEqual(left(variables), always))

  it.each([
    ["others", { PATH: "/bin", CODEX_HOME: "/home/a/.codex", HOME: "/home/a", EMPTY: "" }],
    ["what only contains a password", { PATH: "/usr/lib/postgresql/s3/cret/bin" }],
    ["URLs of others", { OTHER: "postgres://a:b@c/d", WEB: "https://ooda:s3%2Fcret@example.org" }],
    ["what cannot be decoded", { OTHER: "postgres://a:%zz@c/d" }]
  ])("hold %s", (_, variables) => assert.deepStrictEqual(left(variables), { ...variables, ...always }))
})
