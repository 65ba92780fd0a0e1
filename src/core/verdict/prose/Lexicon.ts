// Lexicon: the words the prose rules know, by the part they play in a statement about a change.
// The one rule: words stand for what they mean anywhere; no sentence, and no phrase of praise, is listed here.
import { words } from "./Words.ts"

/** Things that are wrong by being there. */
export const defects = words(`
  bug bugs issue issues defect defects regression regressions problem problems flaw flaws vulnerability
  vulnerabilities blocker blockers hole holes gap gaps oversight oversights mistake mistakes shortcoming shortcomings
  breakage breakages inconsistency inconsistencies mismatch mismatches discrepancy discrepancies violation violations
  contradiction contradictions weakness weaknesses loophole loopholes incompatibility incompatibilities nit nits
  nitpick omission omissions misbehavior misbehaviour typo typos
`)

/** Events that are wrong where they happen, but are also talked about where they are handled. */
export const mishaps = words(`
  race races leak leaks crash crashes deadlock deadlocks corruption overflow overflows underflow injection exposure
  bypass panic panics exception failure failures error errors risk risks concern concerns hazard hazards hang hangs
  loss recursion warning warnings caveat caveats finding findings drawback drawbacks limitation limitations attack
  attacker attackers downside pitfall
`)

/** What a review can say it has none of, beside defects. */
export const opinions = words(`
  finding findings concern concerns comment comments remark remarks feedback suggestion suggestions objection
  objections complaint complaints
`)

/** Kinds of defect; a denial of one kind leaves the others open. */
export const partialKinds = words(`
  security performance style stylistic lint linting formatting accessibility memory concurrency type typing blocking
  critical major severe serious high-severity high-priority p0 p1 vulnerability licensing syntax runtime
`)

/** A defect's name in front of one of these is not a defect. */
export const neutralHeads = words(`
  test tests testing suite suites coverage fixture fixtures check checks case cases handling handler handlers message
  messages code codes path paths type types response responses boundary boundaries text string strings class variant
  variants result results state states tracker number template detector detection recovery report reports reporting
  description ticket link output outputs log logs logging body bodies count counts parser page pages scenarios
  scenario protection prevention mode modes event events key value details statement scanner flag semantics
`)

/** Behind a defect's name these make it the name of a thing: "the issue list", "a problem record". */
export const nameHeads = words(`
  service services model models dto dtos api apis endpoint endpoints table tables list lists form forms template
  templates board boards queue number numbers view views record records label labels category categories id ids panel
  widget component entity store schema budget register triage
`)

/** Verbs that tell of harm whatever their subject is. */
export const harms = words(`
  break breaks breaking broke crash crashes crashing crashed corrupt corrupts corrupting leak leaks leaking undermine
  undermines undermining undercut undercuts undercutting violate violates violating regress regresses regressing
  regressed deadlock deadlocks hang hangs wedge wedges lose loses losing mislead misleads misleading misclassify
  misclassifies misclassifying mishandle mishandles mishandling misreport misreports misrepresent misrepresents
  misroute misroutes misidentify misidentifies miscalculate miscalculates miscount miscounts contradict contradicts
  contradicting bypass bypasses bypassing clobber clobbers clobbering defeat defeats weaken weakens weakening swallow
  swallows swallowing miss misses missed degrade degrades degrading reintroduce reintroduces mangle mangles strand
  strands neglect neglects forget forgets forgot orphan orphans clash clashes disagree disagrees stall stalls starve
  starves jeopardize jeopardizes race races racing overcount overcounts undercount undercounts
`)

/** Verbs of harm in one review and of ordinary behaviour in another. */
export const soft = words(`
  fail fails failing failed ignore ignores ignoring ignored skip skips skipping leave leaves leaving left lack lacks
  lacking prevent prevents preventing cause causes causing assume assumes exceed exceeds accepts accept accepting
  allow allows allowing permit permits permitting expose exposes exposing mutate mutates mutating throw throws aborts
  omit omits omitting discard discards discarding drop drops dropping overwrite overwrites overwriting duplicates
  duplicating overflow overflows panic panics truncate truncates conflict conflicts suppresses disables block blocks
  blocking grows trigger triggers masks masking obscures diverge diverges drift drifts escape escapes strips deletes
  rejects grants delay delays enabling
`)

/** Words that call something wrong when it is said to be so. */
export const faults = words(`
  wrong incorrect broken buggy inverted insecure unsafe incomplete misleading inconsistent inaccurate outdated
  unreachable nonexistent non-existent unhandled unresolved unbounded unprotected unauthenticated unguarded unescaped
  unvalidated unsanitized brittle fragile flaky racy non-idempotent irreversible useless ineffective insufficient
  inadequate problematic unreliable unsound faulty flawed erroneous vulnerable exploitable lost unusable infinite
  nondeterministic non-deterministic contradictory contrary dangerous off-by-one backwards swapped reversed mismatched
  violated stuck impossible missing stale invalid undefined redundant duplicated unnecessary dropped leaked overly
  dangling swallowed corrupted misplaced untested ambiguous ignored skipped truncated
`)

/** Faults that are also plain descriptions of input or of what was there before, unless said of something with `is`. */
export const plainFaults = words(`
  missing stale invalid undefined redundant duplicated unnecessary lost dropped unresolved infinite impossible
  unreachable outdated unauthenticated contrary ambiguous ignored skipped truncated swallowed untested unbounded
`)

/** Manners in which only something wrong is done. */
export const badManners = words(`
  silently incorrectly wrongly erroneously accidentally inadvertently mistakenly unintentionally unnecessarily
  needlessly prematurely inconsistently improperly indefinitely spuriously unexpectedly
`)

/** Verbs that take a defect as their object and get rid of it, guard against it, or tell of it. */
export const mends = words(`
  fix fixes fixed fixing address addresses addressed addressing resolve resolves resolved resolving avoid avoids
  avoided avoiding prevents prevented preventing prevent eliminate eliminates eliminated eliminating remove removes
  removed removing corrects corrected correcting repair repairs repaired guard guards guarded guarding protect
  protects protected protecting mitigate mitigates mitigated closes closed closing handle handles handled handling
  catch catches caught catching detect detects detected detecting reject rejects rejected rejecting report reports
  reporting covers cover covered covering test tests tested testing exercise exercises exercising exercised verify
  verifies verified verifying assert asserts asserting reproduce reproduces reproducing document documents documenting
  describe describes describing harden hardens hardening patches recover recovers recovering tolerate tolerates
  simulate simulates simulating propagate propagates propagating wrap wraps wrapped rules ruled convert converts
  replace replaces replaced replacing cleans pins validate validates validating demonstrate demonstrates checks
  ensures ensure ensuring against flags flagging evicts tightens tightened stops yield yields instead rather
`)

/** Those of them that are also plain nouns: verbs only in front of an object. */
export const mendNouns = words(`
  test tests checks report reports flags guard guards patches pins rules cover covers wrap document documents stops
  yield yields
`)

/** Verbs of looking: what a review does to a change. */
export const finds = words(`
  find finds found finding identify identifies identified see sees saw seen spot spots spotted observe observed notice
  noticed discover discovered detect detected uncover uncovered encounter encountered reveal reveals revealed
  revealing surface surfaced flag flagged report reported raise raised think believe consider establish established
  confirm confirmed determine construct constructed
`)

/** Verbs of bringing about: what a change does with a defect. */
export const brings = words(`
  introduce introduces introduced introducing show shows reveal reveals surface surfaces expose exposes have has had
  contain contains create creates creating cause causes causing warrant warrants pose poses add adds represent
  constitute raise raises present presents suggest suggests indicate indicates bring leave produce trigger result appear
`)

/** What code is there to do; a change that does not do it is at fault. */
export const duties = words(`
  handle enforce respect honor honour check validate verify escape await release restore update propagate reset clear
  close clean remove reject prevent avoid guard protect ensure catch detect fix address resolve satisfy support
  preserve account match include consider persist save invalidate refresh forward pass set return wait lock free flush
  terminate stop cancel compile build work survive scope filter sort limit recompute reconcile distinguish
`)

/** Things a reviewer may be unable to run; not being able to run them is no missing review. */
export const checksRun = words(`
  test tests testing suite suites build builds lint linter linting typecheck type-check typechecking pytest vitest
  jest cargo clippy tsc npm pnpm yarn pip docker ci compile compilation compiler mypy ruff eslint benchmark benchmarks
  e2e integration playwright gradle maven node_modules dependencies dependency validation verification toolchain rustc
  cmake ctest bazel tox shellcheck xcodebuild dotnet install installation checks
`)
