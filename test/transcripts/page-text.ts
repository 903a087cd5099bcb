const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** What a person reads of a page: its text, a line for each block. */
export function textOfPage(html: string): string {
  const body = html.replace(/<(head|style|script|svg)\b[\s\S]*?<\/\1>|<wbr>/g, '');
  const lines = body
    .replace(/<(?:p|h\d|li|dt|div|tr|section|form|button|summary|main|br|label|dl|ul|table)\b[^>]*>/g, '\n')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&([a-z]+|#39);/g, (whole, name: string) => entities[name] ?? whole)
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
  return `${lines.join('\n')}\n`;
}
