// Every version of Node can parse this file: an old one gets a sentence, not the SyntaxError of the
// first file that uses a newer language. npm start runs it before anything else.
'use strict';
var needed = require('../package.json').engines.node.replace('>=', '');
var difference = process.versions.node.split('.').reduce(function (decided, part, i) {
  return decided || Number(part) - Number(needed.split('.')[i] || 0);
}, 0);
if (difference < 0) {
  var message =
    'error: Whence needs Node ' + needed + ' or newer, and this is Node ' + process.versions.node;
  process.stderr.write(
    message + ' (' + process.execPath + '): install one from https://nodejs.org/\n',
  );
  process.exit(3);
}
