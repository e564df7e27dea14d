import { writeFile } from 'node:fs/promises';
import { errorTable, faultTable } from './src/common/error-codes.js';

/** `npm run errors`: writes docs/errors.md. A test holds the file against this. */
export const errorsPage = () => `# Error codes

<!-- Written by \`npm run errors\` from src/common/error-codes.ts -->

Codes never change, and new ones may come, so have a default where you switch over them.

## Errors

The \`code\` of every error response:

${errorTable()}

\`request_timeout\`, \`headers_too_large\` and \`not_implemented\` come before the path is known, so no operation lists them.

## Faults

A 422 \`validation_failed\` has \`details\`: one fault for each error, with the \`field\`, a \`code\`, a \`message\` to show, and \`params\`
where a translation of the message needs them. The table names the \`params\` of a code:

${faultTable()}
`;

if (process.argv[1]?.endsWith('errors.ts')) await writeFile('docs/errors.md', errorsPage());
