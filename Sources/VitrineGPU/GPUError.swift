/// An error of the GPU, its driver or the WebGPU implementation.
///
/// `resource` is the label given at creation. Messages are those of the WebGPU implementation without their preamble.
public enum GPUError: Error, Sendable, CustomStringConvertible {
    /// No adapter matches the choice; `found` contains the names of the available adapters.
    case noAdapter(choice: GPUAdapterChoice, found: [String])
    /// The adapter cannot create a device, usually because it does not support a required feature or limit.
    case deviceRequest(adapter: String, message: String)
    /// A call violates WebGPU's rules.
    case validation(resource: String, message: String)
    /// The GPU has not enough memory for a resource.
    case outOfMemory(resource: String, message: String)
    /// The implementation or the driver failed although the call was valid.
    case `internal`(resource: String, message: String)
    /// A shader does not compile; each message has its line and column.
    case shader(label: String, messages: [GPUShaderMessage])
    /// The device is lost, and with it all objects created from it. Create a new device to continue.
    case deviceLost(reason: GPUDeviceLostReason, message: String)
    /// A window's surface cannot be created, configured or presented.
    case surface(message: String)
    /// A buffer cannot be mapped, so its contents cannot be read.
    case mapping(resource: String, message: String)

    /// A message for the user: one line, or for a shader one line `LABEL:LINE:COLUMN: TEXT` per message.
    public var description: String {
        switch self {
        case .noAdapter(let choice, let found):
            let list =
                found.isEmpty
                ? "none was found: install a Vulkan driver (mesa-vulkan-drivers has one in software)"
                : Self.list(found) + (choice == .automatic ? ": install a Vulkan driver" : "")
            return "no GPU adapter for '\(choice.description)': \(list)"
        case .deviceRequest(let adapter, let message): return "cannot create a device on \(adapter): \(message)"
        case .validation(let resource, let message): return Self.prefix(resource) + message
        case .outOfMemory(let resource, let message): return Self.prefix(resource) + "out of GPU memory: " + message
        case .internal(let resource, let message): return Self.prefix(resource) + "internal GPU error: " + message
        case .shader(let label, let messages):
            var text = ""
            for message in messages { text += (text.isEmpty ? "" : "\n") + label + ":" + message.description }
            return text
        case .deviceLost(let reason, let message): return "GPU device lost (\(reason.name)): \(message)"
        case .surface(let message): return "surface: \(message)"
        case .mapping(let resource, let message): return Self.prefix(resource) + "cannot be mapped: " + message
        }
    }

    private static func prefix(_ resource: String) -> String { resource.isEmpty ? "" : "'\(resource)': " }

    private static func list(_ names: [String]) -> String {
        var text = "available: "
        for (i, name) in names.enumerated() { text += (i == 0 ? "" : ", ") + name }
        return text + " (choose with auto, hardware, software or a part of a name)"
    }
}

/// The reason for the loss of a device.
public enum GPUDeviceLostReason: UInt32, Sendable {
    /// The driver was reset, the card was unplugged, or the reason is unknown.
    case unknown = 1
    /// `GPUDevice.destroy()` was called.
    case destroyed = 2
    /// The instance was released.
    case cancelled = 3
    /// The creation of the device failed.
    case failedCreation = 4

    var name: String {
        switch self {
        case .unknown: "unknown reason"
        case .destroyed: "destroyed"
        case .cancelled: "cancelled"
        case .failedCreation: "its creation failed"
        }
    }
}

/// A message of the shader compiler with its position.
public struct GPUShaderMessage: Sendable, Equatable, CustomStringConvertible {
    /// The line in the WGSL source, from 1; 0 if the compiler reports no position.
    public var line: Int
    /// The column in that line, from 1; 0 if the compiler reports no position.
    public var column: Int
    /// The compiler's message, without its position.
    public var text: String

    /// Creates a message; line and column count from 1, or are 0.
    public init(line: Int, column: Int, text: String) {
        self.line = line
        self.column = column
        self.text = text
    }

    /// The message in the form `LINE:COLUMN: TEXT`.
    public var description: String { line == 0 ? " \(text)" : "\(line):\(column): \(text)" }
}
