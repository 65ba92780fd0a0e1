// StatusText: a line a target, whatever its names hold, and a document with the same facts.
import { assert, it } from "vitest"
import { statusJson, statusTable } from "../../../../src/cli/commands/fleet.ts"
import type { FleetTarget } from "../../../../src/fleet/FleetTargets.ts"

const one: FleetTarget = {
  target: { root: "/s", repoId: "name-0123456789ab", targetKey: "pr/7" },
  turns: 1,
  moved: false,
  submission: 2,
  head: "0123456789abcdef0123456789abcdef01234567",
  standing: "Parked",
  since: 60_000,
  run: "20260101T000000Z-1-p1",
  end: { header: "BinaryError: a b", code: 6 }
}

it("is a table", () => {
  const [head, first, second, ...rest] = statusTable([one, {
    ...one,
    head: null,
    run: null,
    end: null,
    since: 200_000
  }], 120_000)
    .split("\n")
  assert.match(head ?? "", /^REPOSITORY +TARGET +HEAD +STANDS +FOR +RUN +LAST TURN$/)
  assert.match(
    first ?? "",
    /^name-0123456789ab +pr\/7 +0123456789ab +parked +1m.* +20260101T000000Z-1-p1 +BinaryError: a b$/
  )
  assert.match(second ?? "", /^name-0123456789ab +pr\/7 +- +parked +0.* +- +-$/)
  assert.deepEqual(rest, [""])
  assert.strictEqual(statusTable([], 0), "nothing was submitted\n")
})

it("is a document", () => {
  assert.deepEqual(JSON.parse(statusJson([one, { ...one, end: null }])), {
    schema: 1,
    targets: [
      {
        repo: "name-0123456789ab",
        target: "pr/7",
        submission: 2,
        head: one.head,
        turns: 1,
        run: { run: "20260101T000000Z-1-p1", repo: "name-0123456789ab", target: "pr/7" },
        standing: "parked",
        since: "1970-01-01T00:01:00.000Z",
        header: "BinaryError: a b",
        exitCode: 6
      },
      {
        repo: "name-0123456789ab",
        target: "pr/7",
        submission: 2,
        head: one.head,
        turns: 1,
        run: { run: "20260101T000000Z-1-p1", repo: "name-0123456789ab", target: "pr/7" },
        standing: "parked",
        since: "1970-01-01T00:01:00.000Z",
        header: null,
        exitCode: null
      }
    ]
  })
})
