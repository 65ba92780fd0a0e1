// promises: what the pages say of their commands.
// A command without a row here still has to end with 0 and to say nothing on standard error.
import { readFileSync } from "node:fs"
import { assert } from "vitest"
import type { Ran, Scene } from "./scene.ts"
import * as now from "./situations.ts"

export interface Promised {
  /** The commands it is about. */
  readonly of: RegExp
  readonly before?: (scene: Scene, line: string) => Promise<void> | void
  readonly exit?: number
  /** Standard error; empty where absent. */
  readonly stderr?: RegExp
  /** What a reader sees beside these: of standard output, of files. */
  readonly seen?: (scene: Scene, ran: Ran) => void
}

const shows = (pattern: RegExp) => (_: Scene, { stdout }: Ran) => assert.match(stdout, pattern)
const file = (name: string, pattern: RegExp) => ({ read }: Scene) => assert.match(read(name), pattern)
const outside = (name: string, pattern: RegExp) => ({ world }: Scene) =>
  assert.match(readFileSync(world.path(name), "utf8"), pattern)
const recorded = (pattern: RegExp) => (scene: Scene) => assert.match(scene.recorded(), pattern)
const noReviews = ({ world }: Scene) => assert.deepEqual(world.reviewers(), [])
const oneRun = ({ world }: Scene) => assert.lengthOf(world.runs(), 1)

/** An agent has fixed what reviewers found; with `--commit-fixes` its work is committed. */
const isFixed = ({ read, world }: Scene, commits = 0) => {
  assert.match(read("a.txt"), /^right\n/)
  const log = world.git("log", "--format=%s", "main..").trim().split("\n")
  assert.lengthOf(log.filter((subject) => !/^(Work|Feature)$/.test(subject)), commits)
}
const isFixedInOne = (scene: Scene) => isFixed(scene, 1)

/** So many tasks of the plan are done. */
const done = (count: number) => ({ read }: Scene) => assert.lengthOf(read("plan.md").match(/done: true/g) ?? [], count)

const fixed = /\nDoneFixedPoint\n$/
const accepted = /\nDoneAccepted\n$/
const address = /^HandoffAgent: AddressBatch\n[^]*\n    Answer with: --batch \S+\n$/
const waits = /^HandoffAgent: AddressBatch\n/
const hooks = "home/.claude/settings.json"

const driven: ReadonlyArray<Promised> = [
  { of: / converge .*--json/, before: now.branched, stderr: fixed, seen: shows(/"exitCode":0/) },
  { of: / converge .*--notify/, before: now.branched, stderr: fixed, seen: recorded(/^mail -s converged me\n\{/) },
  { of: / converge .*--commit-fixes/, before: now.branched, stderr: fixed, seen: isFixedInOne },
  { of: / converge --uncommitted/, before: now.changed, stderr: fixed, seen: (scene) => isFixed(scene) },
  { of: / converge --base main/, before: now.branched, stderr: fixed, seen: (scene) => isFixed(scene) },
  { of: / implement .*--tasks .*--then converge/, before: now.planned, stderr: fixed, seen: done(1) },
  { of: / implement .*--then converge/, before: now.planned, stderr: fixed, seen: done(2) },
  { of: / implement .*--commit-fixes/, before: now.planned, stderr: accepted, seen: done(2) },
  { of: / implement .*--tasks 1/, before: now.planned, stderr: accepted, seen: done(1) },
  { of: / implement /, before: now.planned, stderr: accepted, seen: done(2) },
  { of: / --mark-address-passed$/, before: now.waitsForMark, exit: 7, stderr: /^Idle\n/ },
  { of: / --mark-address-failed /, before: now.waitsForMark, exit: 3, stderr: /^HandoffHuman: TestsFailedTriage\n/ },
  { of: / --mark-retro-\w+( "[^"]*")?$/, before: now.waitsForMark, exit: 7, stderr: /^Idle\n/ },
  { of: /review .*--strict --inspect/, before: now.foundStrictly, exit: 5, stderr: waits },
  { of: /review .*--inspect/, before: now.found, exit: 5, stderr: waits, seen: oneRun },
  {
    of: /review --pr 1234 --strict /,
    before: now.branched,
    exit: 5,
    stderr: address,
    seen: recorded(/^gh pr view 1234 /)
  },
  { of: /review --base main --strict /, before: now.branched, exit: 5, stderr: address },
  { of: /review --uncommitted --strict/, before: now.changed, exit: 5, stderr: address }
]

const shown: ReadonlyArray<Promised> = [
  { of: / findings --batch low\/2 --json/, before: now.found, exit: 1, seen: shows(/"fingerprint"/) },
  {
    of: / findings --sarif > \.\.\/ooda\.sarif/,
    before: now.found,
    exit: 1,
    seen: file("../ooda.sarif", /"version":\s*"2\.1\.0"/)
  },
  { of: / findings --github/, before: now.found, exit: 1, seen: shows(/^::\w+ file=a\.txt,line=1/m) },
  { of: / findings --markdown/, before: now.found, exit: 1, seen: outside("summary.md", /Finding 1/) },
  { of: / findings/, before: now.found, exit: 1, seen: shows(/still there[^]*a\.txt:1/) },
  { of: / report --out \.\.\/report\.html/, before: now.worked, seen: file("../report.html", /^<!doctype html>/i) },
  {
    of: / attest --out \.\.\/review\.json/,
    before: now.proven,
    seen: file("../review.json", /"https:\/\/in-toto\.io\/S/)
  },
  { of: / audit --attestation \.\.\/review\.json/, seen: shows(/\n  sound\n$/) },
  { of: /review status/, before: now.found, seen: shows(/needs you: /) },
  { of: / watch/, before: now.waiting("sleep 2;clean"), seen: shows(/low/) },
  { of: / runs --prune 30d --dry-run/, seen: ({ world }) => assert.isNotEmpty(world.runs()) },
  { of: / runs/, before: now.found, seen: shows(/uncommitted/) },
  { of: / stop/, before: now.waiting("sleep 600"), seen: noReviews },
  { of: / doctor/, seen: shows(/^ok +codex +codex-cli 0\.169\.0/m) },
  { of: / undo --list/, before: now.worked, seen: shows(/^round 1 /m) },
  { of: / undo/, before: now.worked, seen: shows(/./) },
  {
    of: / ci run .*--fail-on P1/,
    before: now.pullRequest,
    exit: 1,
    stderr: waits,
    seen: outside("output", /^verdict=fail$/m)
  },
  { of: / ci post/, seen: recorded(/^gh api repos\/me\/sums\/issues\/7\/comments --method POST/m) }
]

const others: ReadonlyArray<Promised> = [
  { of: / hook install --scope project --gate ladder/, seen: file(".claude/settings.json", /--gate ladder/) },
  { of: / hook install --gate off/, seen: outside(hooks, /--gate off/) },
  { of: / hook install/, seen: outside(hooks, /ooda-codex-review hook/) },
  { of: / hook uninstall/, seen: outside(hooks, /^(?![^]*ooda-codex-review)/) },
  { of: / hook status/, seen: shows(/^\w+ +user +/m) },
  { of: / hook dismiss src\/total\.ts/, before: now.failing, seen: shows(/total/) },
  {
    of: /^ooda-codex-review result .*> preamble/,
    before: ({ write }) => write("message.txt", "Done.\n"),
    stderr: /^error: not a result: [^\n]+\n$/,
    seen: file("preamble.txt", /^RETRY CONTEXT: /)
  },
  { of: /^if .* > retry\.txt/, seen: file("retry.txt", /^RETRY CONTEXT: [^]*The task\.\n$/) },
  { of: /^ooda-codex-review result /, seen: shows(/^pass: 1a2b3c4\.\.5d6e7f8\n$/) },
  { of: /^ssh-keygen -Y sign/, before: now.sshKey, stderr: /^/, seen: file("review.json.sig", /SSH SIGNATURE/) },
  { of: /^ssh-keygen -Y verify/, seen: shows(/^Good "ooda-codex-review" signature/) },
  { of: /^openssl ecparam/, before: now.attested },
  { of: /^openssl ec /, stderr: /^/, seen: file("public.pem", /PUBLIC KEY/) },
  { of: /^openssl dgst .*-verify/, seen: shows(/^Verified OK\n$/) },
  { of: /^gpg --armor/, before: now.gpgKey, stderr: /^/, seen: file("review.json.asc", /PGP SIGNATURE/) },
  { of: /^gpg --verify/, stderr: /Good signature from "me@example\.org"/ },
  { of: /^cosign /, before: now.attested, seen: recorded(/^cosign \S+-blob --bundle review\.json\.bundle /m) }
]

/** Of several rows about a command the first counts. */
export const promises: ReadonlyArray<Promised> = [...driven, ...shown, ...others]
