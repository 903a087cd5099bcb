/** A form of an HTML page, as a browser would send it. */
export interface HtmlForm {
  readonly action: string;
  readonly method: 'GET' | 'POST';
  /** Hidden, text and ticked fields, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Submit buttons with a name. */
  readonly buttons: readonly (readonly [name: string, value: string])[];
}

/** The forms of a page. Made for the sandbox's own pages: attributes in double quotes, no nesting. */
export function formsOf(page: string): readonly HtmlForm[] {
  return [...page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, head = '', inside = '']) => {
    const form = attributesOf(head);
    const inputs = [...inside.matchAll(/<input\b([^>]*)>/g)].map(([, text = '']) => attributesOf(text));
    const buttons = [...inside.matchAll(/<button\b([^>]*)>/g)].map(([, text = '']) => attributesOf(text));
    return {
      action: form.get('action') ?? '',
      method: form.get('method')?.toLowerCase() === 'post' ? 'POST' : 'GET',
      fields: inputs.filter((input) => input.get('type') !== 'checkbox' || input.has('checked')).map(pair),
      buttons: buttons.filter((button) => button.has('name')).map(pair),
    };
  });
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = [...text.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)];
  return new Map(found.map(([, name = '', value = '']) => [name, decoded(value)]));
}

function pair(attributes: ReadonlyMap<string, string>): readonly [string, string] {
  return [attributes.get('name') ?? '', attributes.get('value') ?? ''];
}

function decoded(value: string): string {
  return value.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
