import { clientInfo } from '../../core/product.js';
import { printable } from '../../core/text/printable.js';
import type { Finding, FindingKind } from '../finding.js';
import type { Report } from '../report.js';

const levels = { failure: 'error', warning: 'warning', note: 'note' } as const;

/** The report as SARIF 2.1.0, which code hosts read. */
export function sarifLog(subject: string, report: Report) {
  const found = report.findings.filter(hasKind);
  const rules = [...new Map(found.map(({ id, kind }) => [id, kind]))];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: `${clientInfo.name} doctor`,
            version: clientInfo.version,
            rules: rules.map(([id, kind]) => ruleOf(id, kind)),
          },
        },
        results: found.map((finding) => resultOf(subject, finding)),
      },
    ],
  };
}

type Kinded = Finding & { readonly id: string; readonly kind: FindingKind };

function hasKind(finding: Finding): finding is Kinded {
  return finding.id !== undefined && finding.kind !== undefined;
}

function ruleOf(id: string, { title, explanation, remedy, source, level }: FindingKind) {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: explanation },
    help: { text: `${remedy} Source: ${source}` },
    defaultConfiguration: { level: levels[level] },
  };
}

function resultOf(subject: string, { id, kind, evidence, remedy = kind.remedy }: Kinded) {
  const text = plainMessage(`${kind.title}: ${printable(evidence, 2_000)}. ${printable(remedy, 2_000)}`);
  return {
    ruleId: id,
    level: levels[kind.level],
    message: { text },
    locations: [{ logicalLocations: [{ fullyQualifiedName: printable(subject, 2_000), kind: 'resource' }] }],
    properties: { who: kind.who, step: kind.step },
  };
}

/** A message in which nothing is a link or a placeholder (SARIF 2.1.0 sections 3.11.5 and 3.11.6): it holds a server's words. */
function plainMessage(text: string): string {
  return text.replace(/[\\[\]]/g, '\\$&').replace(/[{}]/g, '$&$&');
}
