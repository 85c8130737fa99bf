import VitrineGPU
import VitrineScene

extension SurfaceFunctionError {
    /// The compiler's first message, at its place in the function's own file.
    ///
    /// - Parameter firstLine: the line of the module on which the function's text begins. A message before it (a name that the renderer
    ///   uses too, or another signature) is about the function as a whole.
    static func compiling(_ function: SurfaceFunction, _ messages: [GPUShaderMessage], firstLine: Int) -> SurfaceFunctionError {
        let message = messages.first { $0.line >= firstLine } ?? messages.first ?? GPUShaderMessage(line: 0, column: 0, text: "unknown")
        guard message.line >= firstLine else {
            let text = "'\(function.code.name)' does not fit: \(message.text)"
            return SurfaceFunctionError(file: function.file, line: function.line + 1, .compiler(text))
        }
        return SurfaceFunctionError(
            file: function.file, line: function.line + 1 + message.line - firstLine, column: message.column, .compiler(message.text))
    }
}
