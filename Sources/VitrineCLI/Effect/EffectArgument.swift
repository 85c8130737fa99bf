import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The value of `--arg`: an argument of a shader function.
enum EffectArgument {
    case value(Shader.Argument)
    /// The time of the frame in seconds, multiplied by a factor.
    case time(Float)
    case image(String)
    case data(String)

    init(_ text: String) throws(UsageError) {
        if text == "boundingRect" {
            self = .value(.boundingRect)
        } else if text == "time" || text.hasPrefix("time*") {
            self = .time(text == "time" ? 1 : try parseNumber(String(text.dropFirst(5))))
        } else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw UsageError("'\(text)' is not KIND:VALUE, time or boundingRect; \(Self.kinds)") }
            self = try Self.parse(parts[0], parts[1])
        }
    }

    private static let kinds = "kinds are float, float2, float3, float4, color, floatArray, colorArray, image, data"

    private static func parse(_ kind: String, _ value: String) throws(UsageError) -> EffectArgument {
        switch kind {
        case "float": return .value(.float(try parseNumber(value)))
        case "float2":
            let n = try parseNumbers(value, count: 2, as: "X,Y")
            return .value(.float2(n[0], n[1]))
        case "float3":
            let n = try parseNumbers(value, count: 3, as: "X,Y,Z")
            return .value(.float3(n[0], n[1], n[2]))
        case "float4":
            let n = try parseNumbers(value, count: 4, as: "X,Y,Z,W")
            return .value(.float4(n[0], n[1], n[2], n[3]))
        case "color": return .value(.color(try parseHexColorWithAlpha(value)))
        case "floatArray":
            var numbers: [Float] = []
            for part in value.split(separator: ",") { numbers.append(try parseNumber(String(part))) }
            return .value(.floatArray(numbers))
        case "colorArray":
            var colors: [Color] = []
            for part in value.split(separator: ",") { colors.append(try parseHexColorWithAlpha(String(part))) }
            return .value(.colorArray(colors))
        case "image": return .image(value)
        case "data": return .data(value)
        default: throw UsageError("'\(kind)' is not a kind of argument: use time, boundingRect or KIND:VALUE; \(kinds)")
        }
    }

    /// Reads files once, before the first frame.
    func loaded() throws -> (Float) -> Shader.Argument {
        switch self {
        case .value(let argument): return { _ in argument }
        case .time(let factor): return { .float($0 * factor) }
        case .image(let path):
            let image = try Image(contentsOf: URL(fileURLWithPath: path))
            return { _ in .image(image) }
        case .data(let path):
            let bytes = try FileBytes.read(URL(fileURLWithPath: path), limit: 1 << 26)
            return { _ in .data(bytes) }
        }
    }
}

/// Numbers separated by commas.
func parseNumbers(_ text: String, count: Int, as form: String) throws(UsageError) -> [Float] {
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false)
    guard pieces.count == count else { throw UsageError("'\(text)' is not \(form)") }
    var numbers: [Float] = []
    for piece in pieces { numbers.append(try parseNumber(String(piece))) }
    return numbers
}

/// `#RRGGBB` or `#RRGGBBAA`, sRGB with straight alpha.
func parseHexColorWithAlpha(_ text: String) throws(UsageError) -> Color {
    guard text.hasPrefix("#") ? text.count == 9 : text.count == 8 else { return try parseHexColor(text) }
    guard let alpha = UInt8(text.suffix(2), radix: 16) else { throw UsageError("'\(text)' is not a color, such as #1E90FF80") }
    var color = try parseHexColor(String(text.dropLast(2)))
    color.linear.w = Float(alpha) / 255
    return color
}
