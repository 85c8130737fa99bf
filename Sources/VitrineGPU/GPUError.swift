/// Everything that can go wrong on the GPU.
///
/// `resource` is the label given at creation; messages are those of the WebGPU implementation without its preamble.
public enum GPUError: Error, Sendable, CustomStringConvertible {
    /// No adapter fits the choice; `found` names those that are there.
    case noAdapter(choice: GPUAdapterChoice, found: [String])
    /// The adapter did not give a device, mostly because a feature or limit is not there.
    case deviceRequest(adapter: String, message: String)
    /// A call broke WebGPU's rules.
    case validation(resource: String, message: String)
    /// A resource does not fit into the memory of the GPU.
    case outOfMemory(resource: String, message: String)
    /// The implementation or the driver failed although the call was valid.
    case `internal`(resource: String, message: String)
    /// A shader does not compile; each message names its place.
    case shader(label: String, messages: [GPUShaderMessage])
    /// The device is gone: nothing made from it works any more, and a new one must be requested.
    case deviceLost(reason: GPUDeviceLostReason, message: String)
    /// A window cannot be drawn into, or a call came in the wrong order.
    case surface(message: String)
    /// The contents of a buffer could not be brought to the processor.
    case mapping(resource: String, message: String)

    /// One line for people, or one for each message of a shader: `LABEL:LINE:COLUMN: TEXT`.
    public var description: String {
        switch self {
        case .noAdapter(let choice, let found):
            let list =
                found.isEmpty ? "none was found: install a Vulkan driver (mesa-vulkan-drivers has one in software)" : Self.list(found)
            return "no GPU adapter for '\(choice.description)': \(list)"
        case .deviceRequest(let adapter, let message): return "\(adapter) gives no device: \(message)"
        case .validation(let resource, let message): return Self.place(resource) + message
        case .outOfMemory(let resource, let message): return Self.place(resource) + "out of GPU memory: " + message
        case .internal(let resource, let message): return Self.place(resource) + "internal GPU error: " + message
        case .shader(let label, let messages):
            var text = ""
            for message in messages { text += (text.isEmpty ? "" : "\n") + label + ":" + message.description }
            return text
        case .deviceLost(let reason, let message): return "GPU device lost (\(reason.name)): \(message)"
        case .surface(let message): return "surface: \(message)"
        case .mapping(let resource, let message): return Self.place(resource) + "cannot be mapped: " + message
        }
    }

    private static func place(_ resource: String) -> String { resource.isEmpty ? "" : "'\(resource)': " }

    private static func list(_ names: [String]) -> String {
        var text = "there is "
        for (i, name) in names.enumerated() { text += (i == 0 ? "" : ", ") + name }
        return text + " (choose with auto, hardware, software or a part of a name)"
    }
}

/// Why a device is gone.
public enum GPUDeviceLostReason: UInt32, Sendable {
    /// The driver was reset, the card was unplugged, or the reason is unknown.
    case unknown = 1
    /// `GPUDevice.destroy()` was called.
    case destroyed = 2
    /// It was lost because the instance went away.
    case cancelled = 3
    /// It could not be made in the first place.
    case failedCreation = 4

    var name: String {
        switch self {
        case .unknown: "unknown reason"
        case .destroyed: "destroyed"
        case .cancelled: "cancelled"
        case .failedCreation: "failed creation"
        }
    }
}

/// One message of the shader compiler.
public struct GPUShaderMessage: Sendable, Equatable, CustomStringConvertible {
    /// Line in the WGSL source, from 1; 0 when the compiler names no place.
    public var line: Int
    /// Column in that line, from 1; 0 when the compiler names no place.
    public var column: Int
    /// The compiler's message, without its position.
    public var text: String

    /// Creates a message; line and column count from 1, or are 0.
    public init(line: Int, column: Int, text: String) {
        self.line = line
        self.column = column
        self.text = text
    }

    /// `LINE:COLUMN: TEXT`.
    public var description: String { line == 0 ? " \(text)" : "\(line):\(column): \(text)" }
}
