/// The steps of a job in their order, with their estimated costs.
struct WorkPlan: Sendable {
    /// A step of the job; a `ProcessingStage` consists of several steps.
    enum Step: Hashable, Sendable {
        case video
        case intake, features, matching, mapping, placement
        case depth, fusion
        case surface(Int)
        case texture(Int)
        case write(Int)

        var stage: PhotogrammetrySession.Output.ProcessingStage {
            switch self {
            case .video, .intake: .preProcessing
            case .features, .matching, .mapping, .placement: .imageAlignment
            case .depth, .fusion: .pointCloudGeneration
            case .surface: .meshGeneration
            case .texture: .textureMapping
            case .write: .optimization
            }
        }

        /// For the report.
        var name: String {
            switch self {
            case .video: "choosing frames"
            case .intake: "reading photos"
            case .features: "features"
            case .matching: "matching"
            case .mapping: "cameras"
            case .placement: "placement"
            case .depth: "depth"
            case .fusion: "points"
            case .surface: "surface"
            case .texture: "texture"
            case .write: "writing"
            }
        }
    }

    struct Item: Sendable {
        let step: Step
        /// Seconds on one core of the machine on which the coefficients were measured.
        let cost: Double
        /// The indices of the requests that need the step.
        let requests: Set<Int>
    }

    let items: [Item]
}
