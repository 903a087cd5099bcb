// Imported before tests: property tests that name no number of cases have this many.
import { configureGlobal } from 'fast-check';

configureGlobal({ numRuns: Number(process.env.POSTERN_PROPERTY_RUNS) });
