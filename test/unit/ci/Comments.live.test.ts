// Comments.live: the one comment on a pull request through `gh`: found by its author and its first line, and then replaced.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/ci/Comments.live.ts"
import { Comments } from "../../../src/ci/Comments.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { eachInHome, inHome } from "../../support/repositories.ts"

eachInHome()

const marker = "<!-- ours -->"
const wanted = { repository: "o/p", number: 7, author: "bot[bot]", marker, file: "/tmp/a b.md" }
const row = (id: number, login: string, first = marker) => JSON.stringify({ id, login, first })

/** Puts a comment with a `gh` that lists these lines, and fails where a call holds `fails`. */
const put = async (
  listed: ReadonlyArray<string>,
  fails = "nothing",
  env: Readonly<Record<string, string>> = {}
) => {
  for (const name of ["bin", "work"]) mkdirSync(inHome(name), { recursive: true })
  writeFileSync(inHome("listed"), listed.map((line) => `${line}\n`).join(""))
  const script = [
    "#!/bin/sh",
    `echo "$GH_HOST $GH_ENTERPRISE_TOKEN $CLICOLOR_FORCE $GH_FORCE_TTY $NO_COLOR" > ${inHome("variables")}`,
    `for one; do printf '%s|' "$one"; done >> ${inHome("calls")}; echo >> ${inHome("calls")}`,
    `case "$*" in *"${fails}"*) echo 'gh: Forbidden (HTTP 403)' >&2; exit 1 ;; *--paginate*) cat ${
      inHome("listed")
    } ;; esac`
  ]
  writeFileSync(inHome("bin", "gh"), `${script.join("\n")}\n`, { mode: 0o755 })
  const said = await Effect.runPromise(
    Comments.use(({ put }) => put(wanted, inHome("work"))).pipe(
      Effect.match({ onFailure: ({ message }) => message, onSuccess: (done) => done }),
      Effect.provide(layer),
      Effect.provideService(Environment, { ...env, PATH: `${inHome("bin")}${delimiter}${process.env["PATH"]}` })
    )
  )
  const [calls = "", variables] = ["calls", "variables"].map((name) => readFileSync(inHome(name), "utf8").trimEnd())
  return { said, calls: calls.split("\n"), variables }
}

describe("a comment", () => {
  it("is written if we have none yet", async () => {
    const { calls, said } = await put([row(1, "stranger"), row(2, "bot[bot]", "Hello"), row(3, "bot", `${marker} x`)])
    assert.strictEqual(said, "created")
    assert.match(calls[0] ?? "", /^api\|repos\/o\/p\/issues\/7\/comments\?per_page=100\|--paginate\|--jq\|/)
    assert.deepStrictEqual(calls.slice(1), [
      "api|repos/o/p/issues/7/comments|--method|POST|-F|body=@/tmp/a b.md|--silent|"
    ])
  })

  it("takes the place of our first one, and of no other's", async () => {
    const { calls, said } = await put([row(1, "stranger"), row(2, "bot[bot]"), row(3, "bot[bot]")])
    assert.strictEqual(said, "updated")
    assert.deepStrictEqual(calls.slice(1), [
      "api|repos/o/p/issues/comments/2|--method|PATCH|-F|body=@/tmp/a b.md|--silent|"
    ])
  })

  it("is not written where the comments cannot be listed", async () => {
    for (const [listed, fails] of [[["{"], "nothing"], [[], "--paginate"]] as const) {
      const { calls, said } = await put(listed, fails)
      assert.match(said, /^no comment on pull request 7: /)
      assert.isFalse(calls.some((call) => call.includes("POST")))
    }
  })

  it("is asked of the job's own GitHub with the job's token, and in plain text", async () => {
    const token = { GH_TOKEN: "t", CLICOLOR_FORCE: "1", GH_FORCE_TTY: "80" }
    const on = async (server: string, more: Readonly<Record<string, string>> = {}) =>
      (await put([], "nothing", { ...token, GITHUB_SERVER_URL: server, ...more })).variables
    assert.strictEqual(await on("https://ghe.example.com"), "ghe.example.com t 0  1")
    assert.strictEqual(await on("https://ghe.example.com", { GH_ENTERPRISE_TOKEN: "own" }), "ghe.example.com own 0  1")
    assert.strictEqual(await on("https://ghe.example.com", { GH_HOST: "other.example" }), "other.example  0  1")
    assert.strictEqual(await on("https://github.com"), "  0  1")
  })

  it("that is refused is a failure", async () => {
    const { said } = await put([], "POST")
    assert.strictEqual(
      said,
      "no comment on pull request 7: gh: Forbidden (HTTP 403) [the job's token needs pull-requests: write]"
    )
  })
})
