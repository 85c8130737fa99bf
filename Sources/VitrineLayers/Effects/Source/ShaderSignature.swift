/// The signature of a function in a shader's source.
struct ShaderSignature {
    struct Parameter {
        let name: String
        /// The WGSL type, with aliases resolved.
        let type: String
        /// The kind of argument; nil if no argument has this type.
        let slot: Slot?
    }

    /// How an argument is passed to a parameter.
    enum Slot: Hashable {
        case float, float2, float3, float4
        case floats, colors, data, image

        init?(type: String) {
            for slot in Slot.all where slot.type.utf8.elementsEqual(type.utf8) {
                self = slot
                return
            }
            return nil
        }

        static let all: [Slot] = [.float, .float2, .float3, .float4, .floats, .colors, .data, .image]

        /// The WGSL type.
        var type: String {
            switch self {
            case .float: "f32"
            case .float2: "vec2f"
            case .float3: "vec3f"
            case .float4: "vec4f"
            case .floats: "FloatArray"
            case .colors: "ColorArray"
            case .data: "Data"
            case .image: "Image"
            }
        }

        /// The accepted arguments, for messages.
        var arguments: String {
            switch self {
            case .float: "float"
            case .float2: "float2"
            case .float3: "float3"
            case .float4: "color, float4 or boundingRect"
            case .floats: "floatArray"
            case .colors: "colorArray"
            case .data: "data"
            case .image: "image"
            }
        }
    }

    let name: String
    let parameters: [Parameter]
    let result: String
    let location: ShaderLocation

    init(_ function: ShaderDeclarations.Function, in declarations: ShaderDeclarations) {
        name = function.name
        parameters = function.parameters.map {
            let type = declarations.resolved($0.type)
            return Parameter(name: $0.name, type: type, slot: Slot(type: type))
        }
        result = declarations.resolved(function.result)
        location = function.location
    }

    /// Returns whether the function can be used for a kind of effect, by its first parameters and its result.
    func fits(_ kind: ShaderEffect.Kind) -> Bool {
        let given = kind.givenTypes
        guard result.utf8.elementsEqual(kind.resultType.utf8), parameters.count >= given.count else { return false }
        return given.indices.allSatisfy { parameters[$0].type.utf8.elementsEqual(given[$0].utf8) }
    }

    /// The kinds of effects for which the function can be used. Colour effects and distortions differ in their results.
    var kinds: [ShaderEffect.Kind] { ShaderEffect.Kind.allCases.filter { fits($0) } }

    /// Returns the parameters that take arguments.
    func arguments(of kind: ShaderEffect.Kind) -> ArraySlice<Parameter> { parameters.dropFirst(kind.givenTypes.count) }

    /// The declaration: `fn wave(position: vec2f, time: f32) -> vec2f`.
    var description: String {
        var text = "fn \(name)("
        for (index, parameter) in parameters.enumerated() {
            text += (index == 0 ? "" : ", ") + "\(parameter.name): \(parameter.type)"
        }
        return text + ")" + (result.isEmpty ? "" : " -> \(result)")
    }
}
