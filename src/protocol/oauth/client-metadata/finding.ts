import type { JsonValue } from '../../../primitives/json.js';
import { quoted } from '../../../primitives/printable.js';

/** What is wrong, or unwise, about a client ID metadata document, its address, or the way it is served. */
export interface Finding {
  /** Stable name in snake_case. */
  readonly code: string;
  /** The rule's id in the project's rule table, and the section of the specification that it comes from. */
  readonly rule: string;
  /** `failure`: an authorization server that keeps to the rules refuses it. `warning`: some do, or users lose by it. */
  readonly verdict: 'failure' | 'warning';
  /** One sentence; what stands in the document comes quoted. */
  readonly what: string;
  /** One sentence: what to change. */
  readonly remedy: string;
}

type Texts = Pick<Finding, 'what' | 'remedy'>;

/** @param rule e.g. `R-2.3a`, or `R-2.3b, CIMD section 4.1` */
export function failure(code: string, rule: string, texts: Texts): Finding {
  return { code, rule, verdict: 'failure', ...texts };
}

/** As `failure`, for what does not keep a careful authorization server from taking the document. */
export function warning(code: string, rule: string, texts: Texts): Finding {
  return { code, rule, verdict: 'warning', ...texts };
}

/** A value of the document as a finding shows it: quoted, a text as it is, anything else as JSON. */
export function quotedValue(value: JsonValue, max: number): string {
  return quoted(typeof value === 'string' ? value : JSON.stringify(value), max);
}
