// fleetGiven: what was given to `fleet`: nothing, but for what a test names.
import type { Given } from "../../../../src/cli/commands/fleet.ts"

/** An action with these flags. */
export const given = (action: Given["action"], other: Partial<Given> = {}): Given => ({
  action,
  first: null,
  second: null,
  store: null,
  work: null,
  local: false,
  writer: null,
  account: null,
  repo: null,
  pr: null,
  head: null,
  base: null,
  branch: null,
  floor: null,
  ceiling: null,
  reviewers: null,
  capacity: null,
  active: null,
  name: null,
  lease: null,
  retro: null,
  codexBin: null,
  reviewTimeout: null,
  idleTimeout: null,
  stepTimeout: null,
  json: false,
  ...other
})
