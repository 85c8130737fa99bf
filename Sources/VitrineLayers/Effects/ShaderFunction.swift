/// A function of a shader library. Calling it with arguments creates a `Shader`.
@dynamicCallable
public struct ShaderFunction: Equatable, Sendable {
    public let library: ShaderLibrary
    public let name: String

    public init(library: ShaderLibrary, name: String) { (self.library, self.name) = (library, name) }

    public static func == (a: ShaderFunction, b: ShaderFunction) -> Bool {
        a.library == b.library && a.name.utf8.elementsEqual(b.name.utf8)
    }

    public func dynamicallyCall(withArguments arguments: [Shader.Argument]) -> Shader { Shader(function: self, arguments: arguments) }

    /// The declaration of a function in the source.
    public struct Declaration: Sendable {
        public struct Parameter: Sendable {
            public let name: String
            /// The WGSL type.
            public let type: String
            /// The arguments that it accepts: "color, float4 or boundingRect".
            public let arguments: String
        }

        public let name: String
        public let kind: ShaderEffect.Kind
        /// The parameters after the position and the colour or layer.
        public let parameters: [Parameter]
        /// The line in the file, from 1.
        public let line: Int
        /// The signature, with aliases resolved.
        public let text: String
    }
}

extension ShaderFunction.Declaration {
    /// - Parameter signature: Fits at least one kind of effect.
    init(_ signature: ShaderSignature, line: Int) {
        (name, text, self.line) = (signature.name, signature.description, line)
        kind = signature.kinds[0]
        parameters = signature.arguments(of: kind).map {
            Parameter(name: $0.name, type: $0.type, arguments: $0.slot?.arguments ?? "nothing")
        }
    }
}
