-- wrk: GET /v1/ip/{ip}, and one request in a hundred of another kind: a batch and a health check in turn.
-- Arguments: file of addresses, file with the key, seed.
local addresses = {}
local key, batch, health
local count = 0

function init(args)
  for line in io.lines(args[1]) do addresses[#addresses + 1] = line end
  key = io.lines(args[2])()
  math.randomseed(tonumber(args[3]))
  local headers = { ['Content-Type'] = 'application/json', ['X-API-Key'] = key }
  batch = wrk.format('POST', '/v1/ip/batch', headers, '{"ips":["' .. addresses[1] .. '","' .. addresses[2] .. '"]}')
  health = wrk.format('GET', '/healthz')
end

function request()
  count = count + 1
  if count % 200 == 100 then return batch end
  if count % 200 == 0 then return health end
  return 'GET /v1/ip/' .. addresses[math.random(#addresses)] .. ' HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ' .. key .. '\r\n\r\n'
end
