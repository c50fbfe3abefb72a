/**
 * Sends every datagram back: what Node takes for a datagram, whatever is in it. Prints its port.
 */
import { createSocket } from 'node:dgram';

const socket = createSocket({
  type: 'udp4',
  lookup: (address, _options, found) => found(null, address, 4),
});
socket.on('message', (bytes, { port, address }) => socket.send(bytes, port, address));
socket.bind(0, '127.0.0.1', () => process.stdout.write(`${socket.address().port}\n`));
