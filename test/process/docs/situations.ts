// situations: what has to have happened before a command of a page can do what the page says.
import { createHash } from "node:crypto"
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./pages.ts"
import { flawed, type Scene } from "./scene.ts"

const step = "ooda-codex-review --uncommitted"
const converge = "ooda-codex-review converge --uncommitted --test 'npm test'"
const has = ({ world }: Scene): boolean => world.runs().length > 0

export const commit = ({ had }: Scene) => had("git add -A && { git diff --cached --quiet || git commit -qm Work; }")

/** The worktree has a change that reviewers find something in. */
export const changed = ({ world, write }: Scene): void => write("a.txt", `${flawed}${world.calls().length}\n`)

/** So has the branch, and the worktree is clean. */
export const branched = async (scene: Scene): Promise<void> => {
  changed(scene)
  await commit(scene)
}

/** Two batches of a run have found something. */
export const found = async (scene: Scene): Promise<void> => {
  if (has(scene)) return
  changed(scene)
  await scene.had(step, 5)
  await scene.had(`${step} --mark-address-passed`, 7)
  await scene.had(step, 5)
}

/** A batch of a strict run has found something. */
export const foundStrictly = async (scene: Scene): Promise<void> => {
  changed(scene)
  await scene.had(`${step} --strict --fresh`, 5)
}

/** A run is at its fixed point, and nothing had to be fixed. */
export const proven = async (scene: Scene): Promise<void> => {
  if (has(scene)) return
  scene.write("a.txt", "two\n")
  await scene.had(converge)
}

/** Agents have worked on a run. */
export const worked = async (scene: Scene): Promise<void> => {
  if (has(scene)) return
  changed(scene)
  await scene.had(converge)
}

/** A step waits for its reviewers, which do as scripted. */
export const waiting = (what: string) => async (scene: Scene): Promise<void> => {
  const calls = scene.world.calls().length
  scene.world.scenario("default", what)
  scene.write("a.txt", `${calls}\n`)
  await scene.had(`${step} --fresh >"$RECORDED.step" 2>&1 &`)
  await scene.had(`until [ "$(cat "$FAKE_CODEX_DIR"/calls/*/pid | wc -l)" -ge ${calls + 3} ]; do sleep 0.05; done`)
}

/** The run of a mark's target waits for that mark, by the name that the page gives it. */
export const waitsForMark = async (scene: Scene, line: string): Promise<void> => {
  const [call = "", target = "", flags = "", name = ""] =
    /^\S+ --(\S+ ?\w*) (--strict.*) --batch \S+@(\S+)/.exec(line) ?? []
  if (call === "") throw new Error(`no batch in: ${line}`)
  if (line.includes("--mark-address")) changed(scene)
  else scene.write("a.txt", `${scene.world.calls().length}\n`)
  if (target !== "uncommitted") await commit(scene)
  await scene.had(`ooda-codex-review --${target} ${flags} --fresh`, 5)
  const dir = join(scene.world.stateRoot, "repo-noremote", target.replace(" ", "/"))
  const runs = readdirSync(join(dir, "runs")).sort()
  // The run of an earlier command of the block, which had the name before.
  if (runs.includes(name)) rmSync(join(dir, "runs", name), { recursive: true })
  renamed(dir, runs.findLast((one) => one !== name) ?? "", name)
}

/** Gives a run another name: in the pointer, and in its log, whose chain of hashes begins with it. */
const renamed = (dir: string, old: string, name: string): void => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
  const run = join(dir, "runs", name)
  renameSync(join(dir, "runs", old), run)
  writeFileSync(join(dir, "latest"), readFileSync(join(dir, "latest"), "utf8").replace(old, name))
  let prev: string | null = null
  const lines = readFileSync(join(run, "manifest.jsonl"), "utf8").trimEnd().split("\n").map((line) => {
    const text = line.replaceAll(old, name).replace(/,"hash":"\w+"\}$/, "")
    const first: string = prev ?? sha256(`${name}\n${/"nonce":"([^"]*)"/.exec(text)?.[1]}`)
    const bytes = text.replace(/"prev":"\w+"/, `"prev":"${first}"`)
    prev = sha256(bytes)
    return `${bytes},"hash":"${prev}"}\n`
  })
  writeFileSync(join(run, "manifest.jsonl"), lines.join(""))
  writeFileSync(join(run, "head.json"), "")
}

/** An attestation lies in the directory. */
export const attested = ({ read, world }: Scene): void => {
  if (read("review.json") !== "") return
  copyFileSync(join(root, "fixtures/attestations/fixed-point.v1.json"), join(world.repo, "review.json"))
}

/** There is a key of that kind, and something to sign. */
export const sshKey = async (scene: Scene): Promise<void> => {
  attested(scene)
  await scene.had(`[ -e ~/.ssh/id_ed25519 ] || { mkdir ~/.ssh; ssh-keygen -q -t ed25519 -N "" -f ~/.ssh/id_ed25519; }`)
}
export const gpgKey = async (scene: Scene): Promise<void> => {
  attested(scene)
  await scene.had("mkdir -m 700 ~/.gnupg && gpg --batch --passphrase '' --quick-gen-key me@example.org")
}

/** A committed plan with two pending tasks, and code that its agents have to fix. */
export const planned = async (scene: Scene): Promise<void> => {
  const tasks = ["Add a parser", "Add up"].map((title) => `  - title: ${title}\n    description: As it says.\n`)
  const text = `---\ntitle: Sums\nbaseBranch: main\ntasks:\n${tasks.join("")}---\n${scene.world.calls().length}\n`
  scene.write("plan.md", text)
  await branched(scene)
}

/** Codex found a problem in an edit of the session. */
export const failing = async (scene: Scene): Promise<void> => {
  const tool_input = { file_path: join(scene.world.repo, "src/total.ts"), content: "export const total = 2\n" }
  const event = { hook_event_name: "PostToolUse", tool_name: "Write", session_id: "s", prompt_id: "p", tool_input }
  scene.write("node_modules/event.json", JSON.stringify({ ...event, cwd: scene.world.repo }))
  await scene.had("ooda-codex-review hook <node_modules/event.json")
}

/** The workflow runs for a pull request whose change has a problem. */
export const pullRequest = async (scene: Scene): Promise<void> => {
  await branched(scene)
  scene.world.git("update-ref", "refs/remotes/origin/main", "main")
  const repo = { full_name: "me/sums" }
  const sha = scene.world.git("rev-parse", "main").trim()
  const pull_request = { number: 7, head: { repo }, base: { ref: "main", sha, repo } }
  writeFileSync(scene.world.path("event.json"), JSON.stringify({ pull_request }))
}
