/// A function of a shader's text, with what its parameters take.
struct ShaderSignature {
    struct Parameter {
        let name: String
        /// As WGSL spells it, aliases followed.
        let type: String
        /// nil: nothing that an argument can be.
        let slot: Slot?
    }

    /// How an argument reaches a parameter.
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

        /// In WGSL.
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

        /// The arguments that fit, for messages.
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
    let place: ShaderPlace

    init(_ function: ShaderDeclarations.Function, in declarations: ShaderDeclarations) {
        name = function.name
        parameters = function.parameters.map {
            let type = declarations.resolved($0.type)
            return Parameter(name: $0.name, type: type, slot: Slot(type: type))
        }
        result = declarations.resolved(function.result)
        place = function.place
    }

    /// What it can be used as: what comes first, and what it gives.
    func fits(_ kind: ShaderEffect.Kind) -> Bool {
        let given = kind.givenTypes
        guard result.utf8.elementsEqual(kind.resultType.utf8), parameters.count >= given.count else { return false }
        return given.indices.allSatisfy { parameters[$0].type.utf8.elementsEqual(given[$0].utf8) }
    }

    /// The kinds that it fits. A colour effect never fits as a distortion, nor the other way round: they give different things.
    var kinds: [ShaderEffect.Kind] { ShaderEffect.Kind.allCases.filter { fits($0) } }

    /// The parameters that arguments are for.
    func arguments(of kind: ShaderEffect.Kind) -> ArraySlice<Parameter> { parameters.dropFirst(kind.givenTypes.count) }

    /// `fn wave(position: vec2f, time: f32) -> vec2f`.
    var description: String {
        var text = "fn \(name)("
        for (index, parameter) in parameters.enumerated() {
            text += (index == 0 ? "" : ", ") + "\(parameter.name): \(parameter.type)"
        }
        return text + ")" + (result.isEmpty ? "" : " -> \(result)")
    }
}
