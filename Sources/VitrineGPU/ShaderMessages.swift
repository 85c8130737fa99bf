/// Parses the error text of the shader compiler (naga):
///
///     Shader 'tone' parsing error: no definition in scope for identifier: `foo`
///       ┌─ wgsl:2:56
///       │
///     2 │ @vertex fn main() -> @builtin(position) vec4f { return foo(1.0); }
///       │                                                        ^^^ unknown identifier
func shaderMessages(_ text: String) -> [GPUShaderMessage] {
    var messages: [GPUShaderMessage] = []
    for line in ErrorText.lines(text) {
        let trimmed = ErrorText.trimmed(line)
        if let headline = headline(trimmed) {
            messages.append(GPUShaderMessage(line: 0, column: 0, text: headline))
        } else if messages.isEmpty {
            continue
        } else if let location = location(trimmed) {
            // The first quoted line is the position of the error; later ones are hints.
            if messages[messages.count - 1].line == 0 {
                messages[messages.count - 1].line = location.line
                messages[messages.count - 1].column = location.column
            }
        } else if let note = note(trimmed), !ErrorText.contains(messages[messages.count - 1].text, note) {
            messages[messages.count - 1].text += "; " + note
        }
    }
    return messages.isEmpty ? [GPUShaderMessage(line: 0, column: 0, text: ErrorText(text).body)] : messages
}

/// Returns the text after "error: " in the first line of a message.
private func headline(_ line: ArraySlice<UInt8>) -> String? {
    guard ErrorText.starts(line, with: "Shader ") || ErrorText.starts(line, with: "error") else { return nil }
    let mark = Array("error: ".utf8)
    var start = line.startIndex
    while start + mark.count <= line.endIndex {
        if line[start..<(start + mark.count)].elementsEqual(mark) { return ErrorText.string(line[(start + mark.count)...]) }
        start += 1
    }
    return nil
}

/// Returns line and column of "┌─ FILE:LINE:COLUMN".
private func location(_ line: ArraySlice<UInt8>) -> (line: Int, column: Int)? {
    guard ErrorText.starts(line, with: "┌─") else { return nil }
    let parts = line.split(separator: UInt8(ascii: ":"))
    guard parts.count >= 3, let row = number(parts[parts.count - 2]), let column = number(parts[parts.count - 1]) else { return nil }
    return (row, column)
}

/// Returns the text after the carets that underline source code, or after "= ".
private func note(_ line: ArraySlice<UInt8>) -> String? {
    var rest = line
    if ErrorText.starts(rest, with: "= ") { return ErrorText.string(ErrorText.trimmed(rest.dropFirst(2))) }
    guard ErrorText.starts(rest, with: "│") else { return nil }
    rest = ErrorText.trimmed(rest.dropFirst("│".utf8.count))
    guard rest.first == UInt8(ascii: "^") || rest.first == UInt8(ascii: "-") else { return nil }
    rest = ErrorText.trimmed(rest.drop { $0 == UInt8(ascii: "^") || $0 == UInt8(ascii: "-") })
    return rest.isEmpty ? nil : ErrorText.string(rest)
}

private func number(_ digits: ArraySlice<UInt8>) -> Int? {
    if digits.isEmpty || digits.count > 9 { return nil }
    var value = 0
    for digit in digits {
        guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
        value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
}
