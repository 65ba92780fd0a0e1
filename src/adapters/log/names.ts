// names: what the log's own files are called inside a run's directory.
// The one rule: manifest.jsonl is the truth; every other file here is an aid that can be rebuilt or is evidence.

/** The files of a run's log. `run` is the run's directory. */
export const logNames = (run: string) => ({
  log: `${run}/manifest.jsonl`,
  head: `${run}/head.json`,
  newHead: `${run}/head.json.new`,
  lock: `${run}/lock`,
  torn: `${run}/torn`
})
