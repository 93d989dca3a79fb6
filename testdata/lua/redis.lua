-- Runs the script without Redis: a stand-in for the few commands that it calls, strict about how it calls them.
--
-- arg[1]   the script's file
-- stdin    one call per line, fields apart by tabs: the number of keys, the keys, the arguments. A line "flush" forgets all;
--          "refuse", a command and words refuses that command from then on, in these words
-- stdout   one reply per line
local script = assert(loadfile(arg[1]))
local kept, lives, refused

local function is(kind, key)
  local value = kept[key]
  return value == nil or value.kind == kind
end

local wrong = {err = 'WRONGTYPE Operation against a key holding the wrong kind of value'}

-- the place in a list that an index means, from 1
local function place(list, index)
  index = tonumber(index)
  return index < 0 and #list + index + 1 or index + 1
end

local commands = {}

function commands.TIME()
  return {'1700000000', '123456'}
end

function commands.HMGET(key, ...)
  if not is('hash', key) then return wrong end
  local values = {}
  for i, field in ipairs({...}) do
    values[i] = kept[key] and kept[key][field] or false
  end
  return values
end

function commands.HSET(key, ...)
  if not is('hash', key) then return wrong end
  kept[key] = kept[key] or {kind = 'hash'}
  local words = {...}
  assert(#words > 0 and #words % 2 == 0, 'HSET takes pairs')
  for i = 1, #words, 2 do
    kept[key][words[i]] = words[i + 1]
  end
  return #words / 2
end

function commands.PTTL(key)
  return not kept[key] and -2 or lives[key] or -1
end

function commands.PEXPIRE(key, ms)
  assert(string.match(ms, '^[1-9]%d*$'), 'PEXPIRE takes a whole number above 0, not ' .. ms)
  if not kept[key] then return 0 end
  lives[key] = tonumber(ms)
  return 1
end

function commands.DEL(key)
  local was = kept[key]
  kept[key], lives[key] = nil, nil
  return was and 1 or 0
end

function commands.LINDEX(key, index)
  if not is('list', key) then return wrong end
  return kept[key] and kept[key][place(kept[key], index)] or false
end

function commands.LLEN(key)
  if not is('list', key) then return wrong end
  return kept[key] and #kept[key] or 0
end

function commands.LTRIM(key, first, last)
  if not is('list', key) then return wrong end
  local list = {kind = 'list'}
  for i = place(kept[key], first), place(kept[key], last) do
    list[#list + 1] = kept[key][i]
  end
  kept[key] = #list > 0 and list or nil
  return {ok = 'OK'}
end

function commands.RPUSH(key, ...)
  if not is('list', key) then return wrong end
  kept[key] = kept[key] or {kind = 'list'}
  local words = {...}
  assert(#words > 0, 'RPUSH takes at least one entry')
  for _, word in ipairs(words) do
    assert(string.match(word, '^%d+$'), 'an entry is a whole number, not ' .. word)
    table.insert(kept[key], word)
  end
  return #kept[key]
end

local stand_in = {}

function stand_in.pcall(name, key, ...)
  local words = {...}
  for i, word in ipairs(words) do
    if type(word) == 'number' then
      words[i] = tostring(word)
      assert(string.match(words[i], '^%-?%d+$'), name .. ' with ' .. words[i])
    end
  end
  local named = key == nil
  for _, k in ipairs(KEYS) do
    named = named or k == key
  end
  assert(named, name .. ' of a key that is not in KEYS')
  if refused[name] then return {err = refused[name]} end
  return commands[name](key, (table.unpack or unpack)(words))
end

redis, KEYS, ARGV = stand_in, {}, {}
setmetatable(_G, {
  __index = function(_, name) error('global ' .. name .. ' is read') end,
  __newindex = function(_, name) error('global ' .. name .. ' is written') end,
})

kept, lives, refused = {}, {}, {}
io.stdout:setvbuf('full')
for line in io.lines() do
  if line == 'flush' then
    kept, lives, refused = {}, {}, {}
  elseif string.match(line, '^refuse\t') then
    local name, words = string.match(line, '^refuse\t(.-)\t(.*)$')
    refused[name] = words .. '\r\n'
  else
    local words = {}
    for word in string.gmatch(line .. '\t', '(.-)\t') do
      words[#words + 1] = word
    end
    local n = tonumber(words[1])
    KEYS, ARGV = {}, {}
    for i = 2, #words do
      table.insert(i <= n + 1 and KEYS or ARGV, words[i])
    end
    io.write(script(), '\n')
    io.flush()
  end
end
