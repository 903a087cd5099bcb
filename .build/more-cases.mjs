// Imported before tests by `npm run test:long`: property tests that name no number of cases have this many.
import { configureGlobal } from 'fast-check';

configureGlobal({ numRuns: Number(process.env.POSTERN_ENDURANCE_PROPERTY_RUNS) });
