/** Texts of the parts of addresses: few of them are one, and many are nearly one. */
import fc from 'fast-check';

const piece = fc.constantFrom(
  ':',
  '::',
  '.',
  '0',
  '1',
  '00',
  'f',
  'ffff',
  '255',
  '256',
  '1.2.3.4',
  '%',
  'g',
  ' ',
  '/',
  'é',
);

export const almostAddress = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
