/// A function of a shader library; called with arguments it makes a `Shader`.
@dynamicCallable
public struct ShaderFunction: Equatable, Sendable {
    public let library: ShaderLibrary
    public let name: String

    public init(library: ShaderLibrary, name: String) { (self.library, self.name) = (library, name) }

    public static func == (a: ShaderFunction, b: ShaderFunction) -> Bool {
        a.library == b.library && a.name.utf8.elementsEqual(b.name.utf8)
    }

    public func dynamicallyCall(withArguments arguments: [Shader.Argument]) -> Shader { Shader(function: self, arguments: arguments) }

    /// What the text says about a function.
    public struct Declaration: Sendable {
        public struct Parameter: Sendable {
            public let name: String
            /// In WGSL.
            public let type: String
            /// The arguments that fit: "color, float4 or boundingRect".
            public let arguments: String
        }

        public let name: String
        public let kind: ShaderEffect.Kind
        /// What the caller gives, after the position and the colour or layer.
        public let parameters: [Parameter]
        /// Of the file, from 1.
        public let line: Int
        /// As it stands in the text, but for blanks and aliases.
        public let text: String
    }
}

extension ShaderFunction.Declaration {
    /// `signature` fits one kind at least.
    init(_ signature: ShaderSignature, line: Int) {
        (name, text, self.line) = (signature.name, signature.description, line)
        kind = signature.kinds[0]
        parameters = signature.arguments(of: kind).map {
            Parameter(name: $0.name, type: $0.type, arguments: $0.slot?.arguments ?? "nothing")
        }
    }
}
