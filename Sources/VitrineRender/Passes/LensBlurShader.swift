/// The shaders of `LensBlurPass`.
enum LensBlurShader {
    private static let values = """
        \(LensUniforms.wgsl)
        @group(0) @binding(1) var<uniform> values: LensUniforms;

        """

    static func measuring(sampleCount: Int) -> String {
        values + """
            @group(0) @binding(0) var depthMap: \(sampleCount > 1 ? "texture_depth_multisampled_2d" : "texture_depth_2d");

            @fragment fn fill(in: Covering) -> @location(0) vec4f {
                var sharpest = 65000.0;
                for (var i = 0; i < \(sampleCount); i++) {
                    let depth = textureLoad(depthMap, vec2i(in.position.xy), i);
                    // 1 / distance; nothing was drawn at depth 0, which may be infinitely far.
                    let inverse = max((depth + values.depthScale) / values.depthOffset, 0.0);
                    let radius = values.radiusAtInfinity * (1.0 - values.focusDistance * inverse);
                    // A pixel that a sharp edge crosses is sharp: its mean must not be spread.
                    if (abs(radius) < abs(sharpest)) { sharpest = radius; }
                }
                return vec4f(clamp(sharpest, -values.largestRadius, values.largestRadius));
            }
            """
    }

    static let tiling =
        values + """
            @group(0) @binding(0) var radii: texture_2d<f32>;

            @fragment fn fill(in: Covering) -> @location(0) vec4f {
                let size = vec2i(textureDimensions(radii));
                let tile = i32(values.tileSize);
                let first = vec2i(in.position.xy) * tile;
                let end = min(first + tile, size);
                var largest = 0.0;
                for (var y = first.y; y < end.y; y++) {
                    for (var x = first.x; x < end.x; x++) { largest = max(largest, abs(textureLoad(radii, vec2i(x, y), 0).x)); }
                }
                return vec4f(largest);
            }
            """

    private static let images =
        values + """
            @group(0) @binding(0) var image: texture_2d<f32>;
            @group(0) @binding(2) var radii: texture_2d<f32>;
            @group(0) @binding(3) var tiles: texture_2d<f32>;

            fn largestAround(p: vec2i) -> f32 {
                let tile = p / i32(values.tileSize);
                let last = vec2i(textureDimensions(tiles)) - 1;
                var largest = 0.0;
                for (var y = -1; y <= 1; y++) {
                    for (var x = -1; x <= 1; x++) {
                        largest = max(largest, textureLoad(tiles, clamp(tile + vec2i(x, y), vec2i(0), last), 0).x);
                    }
                }
                return largest;
            }

            """

    static let gathering =
        images + """
            // Of a disc: 1 inside, half a pixel soft at the rim.
            fn covers(radius: f32, distance: f32) -> f32 { return saturate(radius - distance + 0.5); }

            // 1 in front of the focus, from one to two pixels of blur on.
            fn nearness(radius: f32) -> f32 { return saturate(-radius - 0.5); }

            @fragment fn fill(in: Covering) -> @location(0) vec4f {
                let p = vec2i(in.position.xy);
                let own = textureLoad(radii, p, 0).x;
                let color = textureLoad(image, p, 0);
                let reach = largestAround(p);
                if (reach < 0.5) { return color; }
                let last = vec2i(textureDimensions(image)) - 1;
                let ownArea = max(abs(own), 0.5) * max(abs(own), 0.5);
                // Light and weight of pixels in front of the focus, and of the rest.
                let ownNear = nearness(own);
                var rest = color * ((1.0 - ownNear) / ownArea);
                var restWeight = (1.0 - ownNear) / ownArea;
                var near = color * (ownNear / ownArea);
                var nearWeight = ownNear / ownArea;
                let count = i32(clamp(reach * reach * 0.8, 12.0, 110.0));
                // A spiral of even density (Vogel 1979), turned from pixel to pixel (Jiménez's interleaved gradient noise).
                let turn = 6.2831853 * fract(52.9829189 * fract(dot(vec2f(p), vec2f(0.06711056, 0.00583715))));
                for (var i = 0; i < count; i++) {
                    let distance = reach * sqrt((f32(i) + 0.5) / f32(count));
                    let angle = f32(i) * 2.3999632 + turn;
                    let q = clamp(vec2i(in.position.xy + distance * vec2f(cos(angle), sin(angle))), vec2i(0), last);
                    let away = length(vec2f(q - p));
                    let radius = textureLoad(radii, q, 0).x;
                    let light = textureLoad(image, q, 0);
                    let isNear = nearness(radius);
                    let nearShare = isNear * covers(abs(radius), away) / max(radius * radius, 0.25);
                    // The colour behind a pixel in front is estimated from its neighbours.
                    let width = select(min(abs(radius), abs(own)), max(abs(radius), abs(own)), ownNear > 0.0);
                    let restShare = (1.0 - isNear) * covers(width, away) * select(0.0, 1.0, width > 0.5) / max(width * width, 0.25);
                    near += light * nearShare;
                    nearWeight += nearShare;
                    rest += light * restShare;
                    restWeight += restShare;
                }
                if (nearWeight <= 0.0) { return rest / restWeight; }
                if (restWeight <= 0.0) { return near / nearWeight; }
                // Each sample stands for reach² / count of area, in units of π.
                let coverage = saturate(nearWeight * reach * reach / f32(count));
                return mix(rest / restWeight, near / nearWeight, coverage);
            }
            """

    /// The spiral's grain, taken out where a pixel and its neighbours are blurred anyway.
    static let smoothing =
        images + """
            @fragment fn fill(in: Covering) -> @location(0) vec4f {
                let p = vec2i(in.position.xy);
                let color = textureLoad(image, p, 0);
                let reach = largestAround(p);
                let own = textureLoad(radii, p, 0).x;
                if (reach < 2.0) { return color; }
                let last = vec2i(textureDimensions(image)) - 1;
                var sum = color;
                var weights = 1.0;
                for (var y = -1; y <= 1; y++) {
                    for (var x = -1; x <= 1; x++) {
                        if (x == 0 && y == 0) { continue; }
                        let q = clamp(p + vec2i(x, y), vec2i(0), last);
                        let radius = textureLoad(radii, q, 0).x;
                        let weight = saturate(min(abs(radius), abs(own)) * 0.5 - 0.5);
                        sum += textureLoad(image, q, 0) * weight;
                        weights += weight;
                    }
                }
                return sum / weights;
            }
            """
}
