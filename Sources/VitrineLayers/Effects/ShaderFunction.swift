/// A function of a shader library. Calling it with arguments creates a `Shader`.
@dynamicCallable
public struct ShaderFunction: Equatable, Sendable {
    /// The library that declares the function.
    public let library: ShaderLibrary
    /// The name of the function.
    public let name: String

    /// Creates a reference to a function, which need not exist.
    public init(library: ShaderLibrary, name: String) { (self.library, self.name) = (library, name) }

    public static func == (a: ShaderFunction, b: ShaderFunction) -> Bool {
        a.library == b.library && a.name.utf8.elementsEqual(b.name.utf8)
    }

    /// Creates a shader of the function and its arguments.
    public func dynamicallyCall(withArguments arguments: [Shader.Argument]) -> Shader { Shader(function: self, arguments: arguments) }

    /// The declaration of a function in the source.
    package struct Declaration: Sendable {
        package struct Parameter: Sendable {
            package let name: String
            /// The WGSL type.
            package let type: String
            /// The arguments that the parameter accepts: "color, float4 or boundingRect".
            package let arguments: String
        }

        package let name: String
        package let kind: ShaderEffect.Kind
        /// The parameters after the position and the colour or layer.
        package let parameters: [Parameter]
        /// The line in the file, from 1.
        package let line: Int
        /// The signature, with aliases resolved.
        package let text: String
    }
}

extension ShaderFunction.Declaration {
    /// Creates a function.
    ///
    /// - Parameter signature: A signature of at least one kind of effect.
    init(_ signature: ShaderSignature, line: Int) {
        (name, text, self.line) = (signature.name, signature.description, line)
        kind = signature.kinds[0]
        parameters = signature.arguments(of: kind).map {
            Parameter(name: $0.name, type: $0.type, arguments: $0.slot?.arguments ?? "nothing")
        }
    }
}
