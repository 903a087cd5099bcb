import {
  type DocumentSettings,
  writeDocument,
} from '../../../protocol/oauth/client-metadata/write-document.js';
import { headersFile, htaccess } from './host-rules.js';
import { indexPage } from './index-page.js';
import { logo } from './logo.js';
import { readme } from './readme.js';

/** A file of the folder as it is hosted. */
export interface HostedFile {
  readonly name: string;
  readonly text: string;
}

/** Everything that is hosted for a client: the same bytes for the same settings. @param file Name of the document. */
export async function buildFolder(settings: DocumentSettings, file: string): Promise<readonly HostedFile[]> {
  return [
    { name: file, text: writeDocument(settings) },
    { name: 'index.html', text: await indexPage(settings, file) },
    { name: 'logo.svg', text: logo },
    { name: '_headers', text: headersFile(new URL(settings.url).pathname) },
    { name: '.htaccess', text: htaccess(file) },
    { name: '.nojekyll', text: '' },
    { name: 'README.md', text: readme(settings, file) },
  ];
}

/** The name that the document has in the folder: the last part of its address. */
export function fileNameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
}
