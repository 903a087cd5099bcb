import { clients } from './clients.js';
import { company } from './company.js';
import { credentialHelpers } from './credential-helpers.js';
import { environment } from './environment.js';
import { exitCodes } from './exit-codes.js';
import { fleet } from './fleet.js';
import { hosts } from './hosts.js';
import { json } from './json.js';
import { loggingIn } from './logging-in.js';
import { machines } from './machines.js';
import { proxies } from './proxies.js';
import { scripts } from './scripts.js';
import { security } from './security.js';
import { stores } from './stores.js';
import type { Topic } from './topic.js';

/** Every topic of `postern help`, in the order of `postern --help`. */
export const topics: readonly Topic[] = [
  loggingIn,
  clients,
  scripts,
  machines,
  company,
  fleet,
  hosts,
  credentialHelpers,
  stores,
  security,
  environment,
  proxies,
  json,
  exitCodes,
];
