// Made by `npm run clients`.
// @ts-nocheck

export type ClientOptions = {
    baseUrl: 'http://127.0.0.1:3000' | (string & {});
};

export type Webhooks = RequestAudioEndedWebhookRequest | RequestVideoEndedWebhookRequest | RequestMediaEndedWebhookRequest | RequestMediaInfoEndedWebhookRequest | RequestChannelEndedWebhookRequest | RequestTranscriptEndedWebhookRequest | RequestSpeakerLabelsEndedWebhookRequest | RequestImgnetProfileEndedWebhookRequest | RequestImgnetListEndedWebhookRequest | RequestImgnetContentEndedWebhookRequest | RequestImgnetAudioEndedWebhookRequest | CreateUploadEndedWebhookRequest | CreateBatchEndedWebhookRequest | SubscriptionPausedWebhookRequest | TestWebhookSentWebhookRequest;

/**
 * ULID
 */
export type Ulid = string;

/**
 * ID of a delivery
 */
export type WebhookId = string;

export type AudioResult = {
    data: AudioRecord;
};

export type AudioRecord = {
    id: Ulid;
    media_id: string;
    /**
     * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    status: 'pending' | 'success' | 'failed';
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * The title on the platform, when it is known; in lists only
     */
    title?: string;
    /**
     * The reason of the failure, if the status is failed
     */
    response: string | null;
    /**
     * Null until the status is success, and for results without a duration
     */
    duration: string | null;
    transcript_speaker_id: Ulid;
    /**
     * Null until the status is success
     */
    transcript_speaker_cost: string | null;
    /**
     * Signed link to the M4A file; null until the status is success, after its removal, and for results without audio
     */
    audio_url: string | null;
    /**
     * Signed links to the files; null until the status is success, after their removal, and for results without files
     */
    file_urls: Array<string> | null;
    progress?: Progress;
    vidnet_video_id: VidnetVideoId;
    /**
     * The time at which retention removed the files; a new request fetches them again
     */
    files_removed_at?: string;
    type: 'audio';
};

/**
 * The progress of a running job; an addition to the specification
 */
export type Progress = {
    stage: 'waiting' | 'fetching' | 'listing' | 'converting' | 'verifying' | 'publishing' | 'preparing' | 'detecting_speech' | 'transcribing' | 'diarizing';
    percent?: number;
    downloaded_bytes?: number;
    total_bytes?: number;
    /**
     * Fetched items of a list, or transcribed windows of audio
     */
    items?: number;
    /**
     * Items that the platform reports, or windows of the audio
     */
    total_items?: number;
    /**
     * The reason why the job waits
     */
    reason?: string;
    /**
     * The earliest time at which the job continues
     */
    until?: string;
};

/**
 * Video id of the video platform
 */
export type VidnetVideoId = string;

export type AudioFailed = {
    data: {
        id: Ulid;
        media_id: string;
        /**
         * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
         */
        cost: string;
        status: 'failed';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        /**
         * The title on the platform, when it is known; in lists only
         */
        title?: string;
        response: string;
        /**
         * Null until the status is success, and for results without a duration
         */
        duration: string | null;
        transcript_speaker_id: Ulid;
        /**
         * Null until the status is success
         */
        transcript_speaker_cost: string | null;
        /**
         * Signed link to the M4A file; null until the status is success, after its removal, and for results without audio
         */
        audio_url: string | null;
        /**
         * Signed links to the files; null until the status is success, after their removal, and for results without files
         */
        file_urls: Array<string> | null;
        progress?: Progress;
        vidnet_video_id: VidnetVideoId;
        /**
         * The time at which retention removed the files; a new request fetches them again
         */
        files_removed_at?: string;
        type: 'audio';
    };
};

export type VideoResult = {
    data: VideoRecord;
};

export type VideoRecord = {
    id: Ulid;
    media_id: string;
    /**
     * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    status: 'pending' | 'success' | 'failed';
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * The title on the platform, when it is known; in lists only
     */
    title?: string;
    /**
     * The reason of the failure, if the status is failed
     */
    response: string | null;
    /**
     * Null until the status is success, and for results without a duration
     */
    duration: string | null;
    /**
     * For POST /api/transcriptspeakerid; null for results without sound
     */
    transcript_speaker_id: string | null;
    /**
     * Null until the status is success
     */
    transcript_speaker_cost: string | null;
    /**
     * The audio is a job of its own
     */
    audio_url: null;
    /**
     * One signed link to the MP4 file; null until the status is success, and when the file was removed
     */
    file_urls: Array<string> | null;
    progress?: Progress;
    vidnet_video_id: VidnetVideoId;
    /**
     * The time at which retention removed the files; a new request fetches them again
     */
    files_removed_at?: string;
    type: 'vidnet_video';
};

export type VideoFailed = {
    data: {
        id: Ulid;
        media_id: string;
        /**
         * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
         */
        cost: string;
        status: 'failed';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        /**
         * The title on the platform, when it is known; in lists only
         */
        title?: string;
        response: string;
        /**
         * Null until the status is success, and for results without a duration
         */
        duration: string | null;
        /**
         * For POST /api/transcriptspeakerid; null for results without sound
         */
        transcript_speaker_id: string | null;
        /**
         * Null until the status is success
         */
        transcript_speaker_cost: string | null;
        /**
         * The audio is a job of its own
         */
        audio_url: null;
        /**
         * One signed link to the MP4 file; null until the status is success, and when the file was removed
         */
        file_urls: Array<string> | null;
        progress?: Progress;
        vidnet_video_id: VidnetVideoId;
        /**
         * The time at which retention removed the files; a new request fetches them again
         */
        files_removed_at?: string;
        type: 'vidnet_video';
    };
};

export type MediaResult = {
    data: MediaRecord;
};

export type MediaRecord = {
    id: Ulid;
    media_id: string;
    /**
     * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    status: 'pending' | 'success' | 'failed';
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * The title on the platform, when it is known; in lists only
     */
    title?: string;
    /**
     * The reason of the failure, if the status is failed
     */
    response: string | null;
    /**
     * Null until the status is success, and for results without a duration
     */
    duration: string | null;
    /**
     * For POST /api/transcriptspeakerid; null for results without sound
     */
    transcript_speaker_id: string | null;
    /**
     * Null until the status is success
     */
    transcript_speaker_cost: string | null;
    /**
     * The link of the format `audio`; null of the other one
     */
    audio_url: string | null;
    /**
     * One signed link to the file, or of a post one for each slide, in order; null until the status is success, and when the file was removed
     */
    file_urls: Array<string> | null;
    progress?: Progress;
    /**
     * The time at which retention removed the files; a new request fetches them again
     */
    files_removed_at?: string;
    type: 'media';
    /**
     * The normalized URL of the page
     */
    url: string;
    format: 'audio' | 'video';
    /**
     * Whether pictures and sound are as the site sent them; null until the status is success, and without options
     */
    encoding: 'copied' | 'converted' | null;
};

export type MediaFailed = {
    data: {
        id: Ulid;
        media_id: string;
        /**
         * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
         */
        cost: string;
        status: 'failed';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        /**
         * The title on the platform, when it is known; in lists only
         */
        title?: string;
        response: string;
        /**
         * Null until the status is success, and for results without a duration
         */
        duration: string | null;
        /**
         * For POST /api/transcriptspeakerid; null for results without sound
         */
        transcript_speaker_id: string | null;
        /**
         * Null until the status is success
         */
        transcript_speaker_cost: string | null;
        /**
         * The link of the format `audio`; null of the other one
         */
        audio_url: string | null;
        /**
         * One signed link to the file, or of a post one for each slide, in order; null until the status is success, and when the file was removed
         */
        file_urls: Array<string> | null;
        progress?: Progress;
        /**
         * The time at which retention removed the files; a new request fetches them again
         */
        files_removed_at?: string;
        type: 'media';
        /**
         * The normalized URL of the page
         */
        url: string;
        format: 'audio' | 'video';
        /**
         * Whether pictures and sound are as the site sent them; null until the status is success, and without options
         */
        encoding: 'copied' | 'converted' | null;
    };
};

export type MediaInfo = {
    status: 'success';
    /**
     * A recording without pictures is a `video`, too
     */
    kind: 'video' | 'playlist' | 'channel';
    /**
     * The URL of the page
     */
    url: string;
    title: string | null;
    description: string | null;
    uploader: string | null;
    channel_id: string | null;
    /**
     * YYYY-MM-DD HH:MM:SS in UTC
     */
    published_at: string | null;
    /**
     * HH:MM:SS
     */
    duration: string | null;
    /**
     * `ended`: the recording of a broadcast
     */
    live_status: 'not_live' | 'upcoming' | 'live' | 'ended' | null;
    view_count: number | null;
    like_count: number | null;
    comment_count: number | null;
    /**
     * The number of entries of a playlist or channel
     */
    entry_count: number | null;
    /**
     * There are more entries; counting them all would take too long
     */
    entry_count_is_minimum?: true;
    /**
     * The best one first
     */
    thumbnails: Array<{
        url: string;
        width: number | null;
        height: number | null;
    }>;
    /**
     * Times in seconds
     */
    chapters: Array<{
        title: string;
        start: number;
        end: number | null;
    }>;
    /**
     * The highest first
     */
    video_formats: Array<{
        /**
         * Lines
         */
        height: number | null;
        frame_rate: number | null;
        container: string;
        /**
         * Bytes; an estimate if the page states none
         */
        size: number | null;
        /**
         * Whether the size includes sound
         */
        has_sound: boolean;
    }>;
    /**
     * Sound without pictures, the best first
     */
    audio_formats: Array<{
        container: string;
        /**
         * BCP 47
         */
        language: string | null;
        /**
         * Bytes; an estimate if the page states none
         */
        size: number | null;
    }>;
    /**
     * The original first
     */
    audio_languages: Array<{
        /**
         * BCP 47
         */
        language: string;
        /**
         * False for a dubbed version
         */
        is_original: boolean;
    }>;
    /**
     * Without machine translations
     */
    captions: Array<{
        /**
         * BCP 47
         */
        language: string;
        kind: 'manual' | 'automatic';
        name: string | null;
    }>;
    /**
     * Decimal string with three decimals
     */
    cost: string;
    download: {
        id: Ulid;
        type: 'media_info';
        /**
         * Decimal string with three decimals
         */
        cost: string;
        status: 'success';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
    };
};

/**
 * The job failed; an addition to the specification
 */
export type FailedResult = {
    status: 'failed';
    /**
     * A sentence for people
     */
    message: string;
    /**
     * Stable, for programs
     */
    code: 'private' | 'removed' | 'geo_blocked' | 'age_restricted' | 'members_only' | 'live' | 'not_started' | 'drm_protected' | 'no_audio' | 'no_video' | 'no_captions' | 'insufficient_credit' | 'too_long' | 'too_large' | 'unsupported' | 'rate_limited' | 'quota_exceeded' | 'sign_in_required' | 'upstream_error' | 'upstream_timeout' | 'incomplete' | 'cancelled' | 'tool_missing' | 'disk_full' | 'internal';
    download_id: Ulid;
    /**
     * A failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    download: {
        id: Ulid;
        type: 'imgnet_profile' | 'imgnet_post' | 'imgnet_audio' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'audio' | 'vidnet_video' | 'list' | 'captions' | 'speaker_labels' | 'media' | 'media_info' | 'upload';
        status: 'failed';
        /**
         * Decimal string with three decimals
         */
        cost: string;
        response: string;
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
    };
};

export type ChannelProfile = {
    status: 'success';
    /**
     * Channel id
     */
    vidnet_id: string;
    title: string;
    description: string | null;
    url: string;
    thumbnail: string | null;
    country: string | null;
    total_media: number | null;
    subscriber_count: number | null;
    total_views: number | null;
    /**
     * YYYY-MM-DD HH:MM:SS in UTC
     */
    creation_date: string | null;
    /**
     * Decimal string with three decimals
     */
    cost: string;
    source: 'api';
    /**
     * Newest first
     */
    videos: Array<ChannelVideo>;
    download: {
        id: Ulid;
        type: 'list';
        /**
         * Decimal string with three decimals
         */
        cost: string;
        status: 'success';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        /**
         * Channel id
         */
        vidnet_video_id: string;
        response: null;
    };
    /**
     * With `limit` or `cursor` only: `cursor` of the next page of the list; null on the last one
     */
    next_cursor?: string | null;
};

export type ChannelVideo = {
    vidnet_id: string;
    title: string;
    thumbnail: string | null;
    /**
     * YYYY-MM-DD HH:MM:SS in UTC
     */
    published_at: string | null;
    /**
     * Seconds
     */
    duration: number | null;
};

/**
 * The job failed; an addition to the specification
 */
export type VidnetFailedResult = {
    status: 'failed';
    /**
     * A sentence for people
     */
    message: string;
    /**
     * Stable, for programs
     */
    code: 'private' | 'removed' | 'geo_blocked' | 'age_restricted' | 'members_only' | 'live' | 'not_started' | 'drm_protected' | 'no_audio' | 'no_video' | 'no_captions' | 'insufficient_credit' | 'too_long' | 'too_large' | 'unsupported' | 'rate_limited' | 'quota_exceeded' | 'sign_in_required' | 'upstream_error' | 'upstream_timeout' | 'incomplete' | 'cancelled' | 'tool_missing' | 'disk_full' | 'internal';
    download_id: Ulid;
    /**
     * A failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    download: {
        id: Ulid;
        type: 'imgnet_profile' | 'imgnet_post' | 'imgnet_audio' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'audio' | 'vidnet_video' | 'list' | 'captions' | 'speaker_labels' | 'media' | 'media_info' | 'upload';
        status: 'failed';
        /**
         * Decimal string with three decimals
         */
        cost: string;
        response: string;
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        vidnet_video_id: string;
    };
};

export type Transcript = {
    status: 'ok';
    video: {
        /**
         * Null for pages of other sites
         */
        vidnet_id: string | null;
        link: string;
        title: string;
        description: string | null;
        /**
         * YYYY-MM-DD HH:MM:SS in UTC
         */
        publishedAt: string | null;
        /**
         * HH:MM:SS
         */
        duration: string | null;
        viewCount: number | null;
        likeCount: number | null;
        commentCount: number | null;
        channelId: string | null;
        channelName: string | null;
        transcriptsWithTimeStamps: Array<CaptionLine>;
        /**
         * The full text
         */
        transcripts: string;
        /**
         * Present when the request has `include_comments`
         */
        comments?: Array<Comment>;
    };
    /**
     * The captions that were used; an addition to the specification
     */
    track: {
        /**
         * BCP 47
         */
        language: string;
        kind: 'manual' | 'automatic' | 'speech';
        name: string | null;
    };
    source?: TranscriptSource;
    download: {
        id: Ulid;
        type: 'captions';
        /**
         * Decimal string with three decimals
         */
        cost: string;
        status: 'success';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        /**
         * Null for pages of other sites
         */
        vidnet_video_id: string | null;
    };
};

export type CaptionLine = {
    /**
     * Seconds as a decimal string
     */
    dur: string;
    text: string;
    /**
     * Seconds as a decimal string
     */
    start: string;
    /**
     * Present in a transcript of what is spoken
     */
    speaker?: string;
};

export type Comment = {
    id: string;
    author: string | null;
    /**
     * The author's channel
     */
    author_id: string | null;
    text: string;
    likes: number | null;
    /**
     * YYYY-MM-DD HH:MM:SS in UTC
     */
    published_at: string | null;
    /**
     * The platform said "2 weeks ago" and no date
     */
    published_at_is_estimated?: true;
    /**
     * The comment that this one answers; null for one that answers the video
     */
    reply_to: string | null;
};

/**
 * Where the text is from; present unless the mode is `native`
 */
export type TranscriptSource = {
    kind: 'captions' | 'speech';
    /**
     * Why, for the mode `auto`
     */
    reason?: string;
    /**
     * The job of the speech, for GET /api/speech/{downloadId}
     */
    download_id?: string;
    /**
     * The price of the speech that this request has started, in addition to its own cost
     */
    cost?: string;
};

export type SpeakerLabels = {
    status: 'success';
    /**
     * Present when there is no speech
     */
    message?: string;
    /**
     * The id of the audio, as in the request
     */
    transcript_speaker_id: string;
    media_id: string;
    /**
     * Decimal string with three decimals
     */
    transcript_speaker_cost: string;
    /**
     * The price of a request that had the audio fetched: the audio and its labels. Until the audio is there, at least this
     */
    cost?: string;
    /**
     * The job; absent when none was needed
     */
    download_id?: string;
    data: {
        /**
         * Empty when there is no speech
         */
        transcriptsWithTimeStamps: Array<SpokenSegment>;
        /**
         * Language code; `und` when it is not known
         */
        language: string;
        /**
         * The probability of the detected language; absent when the engine does not report it
         */
        language_probability?: number;
        /**
         * The names of speakers; the keys are their labels
         */
        speaker_names?: {
            [key: string]: string;
        };
        /**
         * The hints of the request; absent without any
         */
        hints?: {
            language?: string;
            /**
             * Equal limits are an exact number
             */
            speakers?: {
                exact?: number;
                min?: number;
                max?: number;
            };
        };
        /**
         * Of the audio, in seconds; 0 when there is no speech
         */
        duration: number;
        /**
         * Present when there is no speech
         */
        message?: string;
        /**
         * The engine that transcribed the audio. Absent when there is no audio
         */
        engine?: string;
    };
};

export type SpokenSegment = {
    text: string;
    /**
     * Seconds
     */
    start: number;
    /**
     * Seconds
     */
    duration: number;
    /**
     * Label, in order of appearance
     */
    speaker: string;
    /**
     * The mean over the words; absent when the engine does not report it
     */
    confidence?: number;
};

/**
 * The job failed; an addition to the specification
 */
export type SpeakerLabelsFailed = {
    status: 'failed';
    /**
     * A sentence for people
     */
    message: string;
    /**
     * Stable, for programs
     */
    code: 'private' | 'removed' | 'geo_blocked' | 'age_restricted' | 'members_only' | 'live' | 'not_started' | 'drm_protected' | 'no_audio' | 'no_video' | 'no_captions' | 'insufficient_credit' | 'too_long' | 'too_large' | 'unsupported' | 'rate_limited' | 'quota_exceeded' | 'sign_in_required' | 'upstream_error' | 'upstream_timeout' | 'incomplete' | 'cancelled' | 'tool_missing' | 'disk_full' | 'internal';
    download_id: Ulid;
    /**
     * A failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    download: {
        id: Ulid;
        type: 'imgnet_profile' | 'imgnet_post' | 'imgnet_audio' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'audio' | 'vidnet_video' | 'list' | 'captions' | 'speaker_labels' | 'media' | 'media_info' | 'upload';
        status: 'failed';
        /**
         * Decimal string with three decimals
         */
        cost: string;
        response: string;
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
    };
    /**
     * The id of the audio, as in the request
     */
    transcript_speaker_id: string;
    media_id: string;
    /**
     * Decimal string with three decimals
     */
    transcript_speaker_cost: string;
};

export type ImgnetProfile = {
    /**
     * User name
     */
    account: string;
    /**
     * Null when unknown
     */
    fbid: string | null;
    /**
     * The platform's numeric user id; null when unknown
     */
    instagram_id: string | null;
    /**
     * Null when unknown
     */
    profile_name: string | null;
    /**
     * Null when unknown
     */
    full_name: string | null;
    /**
     * Null when unknown or without one
     */
    biography: string | null;
    /**
     * The platform's own link; it expires. Null when unknown
     */
    profile_image_link: string | null;
    /**
     * Null when unknown
     */
    followers: number | null;
    /**
     * Null when unknown
     */
    following: number | null;
    /**
     * Null when unknown
     */
    posts_count: number | null;
    /**
     * Null when unknown
     */
    highlights_count: number | null;
    /**
     * Null when unknown
     */
    is_verified: boolean | null;
    /**
     * Null when unknown
     */
    is_private: boolean | null;
    /**
     * Null when unknown
     */
    is_business_account: boolean | null;
    /**
     * Null when unknown
     */
    is_professional_account: boolean | null;
    /**
     * Null when unknown
     */
    is_joined_recently: boolean | null;
    /**
     * Null when unknown
     */
    has_channel: boolean | null;
    /**
     * Share of the followers, such as 0.0582; null when unknown
     */
    avg_engagement: number | null;
    /**
     * Null when unknown or without one
     */
    category_name: string | null;
    /**
     * Parts joined by commas; null when unknown or without one
     */
    business_address: string | null;
    /**
     * Null when unknown or without one
     */
    email: string | null;
    /**
     * The first link of the profile; null when unknown or without one
     */
    external_url: string | null;
    profile_url: string;
    url: string;
    /**
     * Empty when unknown or without any
     */
    bio_hashtags: Array<string>;
    /**
     * Titles of the highlights; empty when unknown
     */
    highlights: Array<string>;
    /**
     * Empty when unknown
     */
    related_accounts: Array<ImgnetRelatedAccount>;
    status: 'success';
    /**
     * For POST /api/imgnet/list; valid for one hour after this answer
     */
    list_id: string;
    /**
     * The price of the list
     */
    list_cost: number;
    download: {
        id: Ulid;
        type: 'imgnet_profile';
        /**
         * Decimal string with three decimals
         */
        cost: string;
        status: 'success';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        /**
         * The account, in lower case
         */
        media_id: string;
    };
};

export type ImgnetRelatedAccount = {
    instagram_id: string | null;
    user_name: string | null;
    profile_name: string | null;
    is_private: boolean | null;
    is_verified: boolean | null;
};

export type ImgnetList = {
    status: 'success';
    message: string;
    /**
     * Empty where they could not be fetched, and in the webhook of the reels
     */
    posts: Array<ImgnetPostItem>;
    /**
     * Empty where they could not be fetched, and in the webhook of the posts
     */
    reels: Array<ImgnetReelItem>;
    posts_count: number;
    reels_count: number;
    total_count: number;
    downloads: {
        posts: {
            id: Ulid;
            type: 'imgnet_list_posts';
            status: 'pending' | 'success' | 'failed';
            /**
             * While it is pending, what it costs if it succeeds
             */
            cost: string;
        };
        reels: {
            id: Ulid;
            type: 'imgnet_list_reels';
            status: 'pending' | 'success' | 'failed';
            /**
             * While it is pending, what it costs if it succeeds
             */
            cost: string;
        };
    };
    /**
     * How complete the list is; an addition to the specification
     */
    completeness: {
        /**
         * The number of posts and reels in the profile; null when it is unknown, with `max_age_days`, and for one part
         */
        expected: number | null;
        received: number;
    };
    /**
     * The part that failed
     */
    last_response?: {
        posts?: LastResponse;
        reels?: LastResponse;
    };
    /**
     * With `limit` or `cursor` only: `cursor` of the next page of the list; null on the last one
     */
    next_cursor?: string | null;
};

export type ImgnetPostItem = {
    type: 'post';
    /**
     * The platform's numeric id of the post; null when unknown
     */
    instagram_id: string | null;
    /**
     * Null when unknown or without one
     */
    caption: string | null;
    /**
     * The caption; null when unknown or without one
     */
    description: string | null;
    /**
     * Null when unknown or hidden
     */
    likes: number | null;
    /**
     * The same number as num_comments
     */
    comments: number | null;
    /**
     * Null when unknown
     */
    num_comments: number | null;
    /**
     * ISO 8601 UTC; null when unknown
     */
    date_posted: string | null;
    /**
     * The same time as date_posted
     */
    datetime: string | null;
    /**
     * Who published it; may be a co-author. Null when unknown
     */
    user_posted: string | null;
    /**
     * Whose list it is in, or its owner; null when unknown
     */
    account: string | null;
    /**
     * The platform's own link; it expires. Null when unknown
     */
    image_url: string | null;
    /**
     * The first video; null when unknown or without one
     */
    video_url: string | null;
    url: string;
    shortcode: string;
    /**
     * In lower case: image, video, carousel; null when unknown
     */
    content_type: string | null;
    /**
     * Null when unknown
     */
    photos_number: number | null;
    /**
     * Whole seconds of all videos; null when unknown or without one
     */
    videos_duration: number | null;
    /**
     * Null when unknown or without one
     */
    location: {
        name: string;
    } | null;
    /**
     * Null when unknown
     */
    post_id: string | null;
    /**
     * Empty when unknown
     */
    photos: Array<string>;
    /**
     * Empty when unknown
     */
    videos: Array<string>;
    /**
     * Empty when unknown
     */
    images: Array<ImgnetImage>;
    /**
     * Empty when unknown or without sound
     */
    audio: Array<ImgnetSound>;
};

export type ImgnetImage = {
    instagram_id: string | null;
    url: string;
};

export type ImgnetSound = {
    audio_asset_id: string | null;
    ig_artist_id: string | null;
    ig_artist_username: string | null;
    original_audio_title: string | null;
};

export type ImgnetReelItem = {
    type: 'reel';
    /**
     * Null when unknown
     */
    post_id: string | null;
    /**
     * The caption; null when unknown or without one
     */
    description: string | null;
    /**
     * Null when unknown or hidden
     */
    likes: number | null;
    /**
     * An older count of the platform's; null when unknown
     */
    views: number | null;
    /**
     * Null when unknown
     */
    video_view_count: number | null;
    /**
     * Null when unknown
     */
    video_play_count: number | null;
    /**
     * Null when unknown
     */
    num_comments: number | null;
    /**
     * ISO 8601 UTC; null when unknown
     */
    date_posted: string | null;
    /**
     * Who published it; may be a co-author. Null when unknown
     */
    user_posted: string | null;
    /**
     * Whose list it is in, or its owner; null when unknown
     */
    account: string | null;
    /**
     * The platform's own link; it expires. Null when unknown
     */
    video_url: string | null;
    /**
     * Null when unknown
     */
    thumbnail: string | null;
    url: string;
    shortcode: string;
    content_type: 'reel';
    /**
     * Null when unknown
     */
    content_id: string | null;
    /**
     * Such as clips; null when unknown
     */
    product_type: string | null;
    /**
     * Whole seconds; null when unknown
     */
    length: number | null;
    /**
     * The same time as length
     */
    videos_duration: number | null;
    /**
     * Whether the owner is; null when unknown
     */
    is_verified: boolean | null;
    /**
     * Empty when unknown
     */
    videos: Array<string>;
};

export type LastResponse = {
    download_id: Ulid;
    status: 'failed';
    /**
     * The reason of the failure
     */
    response: string;
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
};

/**
 * The job failed; an addition to the specification
 */
export type ImgnetListFailed = {
    status: 'failed';
    /**
     * A sentence for people
     */
    message: string;
    /**
     * Stable, for programs
     */
    code: 'private' | 'removed' | 'geo_blocked' | 'age_restricted' | 'members_only' | 'live' | 'not_started' | 'drm_protected' | 'no_audio' | 'no_video' | 'no_captions' | 'insufficient_credit' | 'too_long' | 'too_large' | 'unsupported' | 'rate_limited' | 'quota_exceeded' | 'sign_in_required' | 'upstream_error' | 'upstream_timeout' | 'incomplete' | 'cancelled' | 'tool_missing' | 'disk_full' | 'internal';
    /**
     * Empty where they could not be fetched, and in the webhook of the reels
     */
    posts: Array<ImgnetPostItem>;
    /**
     * Empty where they could not be fetched, and in the webhook of the posts
     */
    reels: Array<ImgnetReelItem>;
    posts_count: number;
    reels_count: number;
    total_count: number;
    downloads: {
        posts: {
            id: Ulid;
            type: 'imgnet_list_posts';
            status: 'pending' | 'success' | 'failed';
            /**
             * While it is pending, what it costs if it succeeds
             */
            cost: string;
        };
        reels: {
            id: Ulid;
            type: 'imgnet_list_reels';
            status: 'pending' | 'success' | 'failed';
            /**
             * While it is pending, what it costs if it succeeds
             */
            cost: string;
        };
    };
    last_response?: {
        posts?: LastResponse;
        reels?: LastResponse;
    };
};

export type ImgnetPost = {
    type: 'post';
    /**
     * The platform's numeric id of the post; null when unknown
     */
    instagram_id: string | null;
    /**
     * Null when unknown or without one
     */
    caption: string | null;
    /**
     * The caption; null when unknown or without one
     */
    description: string | null;
    /**
     * Null when unknown or hidden
     */
    likes: number | null;
    /**
     * The same number as num_comments
     */
    comments: number | null;
    /**
     * Null when unknown
     */
    num_comments: number | null;
    /**
     * ISO 8601 UTC; null when unknown
     */
    date_posted: string | null;
    /**
     * The same time as date_posted
     */
    datetime: string | null;
    /**
     * Who published it; may be a co-author. Null when unknown
     */
    user_posted: string | null;
    /**
     * Whose list it is in, or its owner; null when unknown
     */
    account: string | null;
    /**
     * The platform's own link; it expires. Null when unknown
     */
    image_url: string | null;
    /**
     * The first video; null when unknown or without one
     */
    video_url: string | null;
    url: string;
    shortcode: string;
    /**
     * In lower case: image, video, carousel; null when unknown
     */
    content_type: string | null;
    /**
     * Null when unknown
     */
    photos_number: number | null;
    /**
     * Whole seconds of all videos; null when unknown or without one
     */
    videos_duration: number | null;
    /**
     * Null when unknown or without one
     */
    location: {
        name: string;
    } | null;
    /**
     * Null when unknown
     */
    post_id: string | null;
    /**
     * Empty when unknown
     */
    photos: Array<string>;
    /**
     * Empty when unknown
     */
    videos: Array<string>;
    /**
     * Empty when unknown
     */
    images: Array<ImgnetImage>;
    /**
     * Empty when unknown or without sound
     */
    audio: Array<ImgnetSound>;
    /**
     * With their #; empty when unknown or without any
     */
    hashtags: Array<string>;
    /**
     * Null when unknown
     */
    pk: string | null;
    /**
     * Null when unknown
     */
    content_id: string | null;
    /**
     * Null when unknown
     */
    thumbnail: string | null;
    /**
     * Whether the owner is; null when unknown
     */
    is_verified: boolean | null;
    /**
     * Null when unknown
     */
    is_paid_partnership: boolean | null;
    /**
     * Null when unknown
     */
    user_posted_id: string | null;
    /**
     * Null when unknown
     */
    profile_url: string | null;
    /**
     * Null when unknown or without one
     */
    alt_text: string | null;
    /**
     * The owner's; null when unknown
     */
    followers: number | null;
    /**
     * The owner's; null when unknown
     */
    posts_count: number | null;
    /**
     * Null when unknown
     */
    profile_image_link: string | null;
    /**
     * Null when unknown or without a video
     */
    video_view_count: number | null;
    /**
     * Null when unknown or without a video
     */
    video_play_count: number | null;
    /**
     * Such as feed; null when unknown
     */
    product_type: string | null;
    /**
     * Null when unknown
     */
    is_pinned: boolean | null;
    /**
     * Empty when unknown
     */
    latest_comments: Array<ImgnetPostComment>;
    /**
     * Empty when unknown or without any
     */
    tagged_users: Array<ImgnetTaggedUser>;
    /**
     * User names; empty when unknown or without any
     */
    coauthor_producers: Array<string>;
    /**
     * Empty when unknown or without any
     */
    partnership_details: Array<ImgnetPartnership>;
    /**
     * The slides in order; empty when unknown
     */
    post_content: Array<ImgnetSlide>;
    status: 'success';
    source: 'api';
    /**
     * What was charged, with the owner's profile when it was fetched for this; an addition
     */
    cost: string;
    /**
     * The job that fetched it; an addition to the specification
     */
    download: {
        id: Ulid;
        type: 'imgnet_post';
        /**
         * Decimal string with three decimals
         */
        cost: string;
        status: 'success';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        /**
         * The shortcode
         */
        media_id: string;
    };
};

export type ImgnetPostComment = {
    comment: string;
    user_commenting: string | null;
    likes: number | null;
    /**
     * Where only the day is known, its midnight
     */
    created_at: string | null;
};

export type ImgnetTaggedUser = {
    username: string;
    full_name: string | null;
    is_verified: boolean | null;
};

export type ImgnetPartnership = {
    profile_id: string | null;
    username: string | null;
    profile_url: string | null;
};

export type ImgnetSlide = {
    /**
     * From 0, in the order of the post
     */
    index: number;
    /**
     * In lower case, such as photo or video
     */
    type: string | null;
    /**
     * The platform's own link; it expires
     */
    url: string | null;
    instagram_id: string | null;
};

export type ImgnetReel = {
    type: 'reel';
    /**
     * Null when unknown
     */
    post_id: string | null;
    /**
     * The caption; null when unknown or without one
     */
    description: string | null;
    /**
     * Null when unknown or hidden
     */
    likes: number | null;
    /**
     * An older count of the platform's; null when unknown
     */
    views: number | null;
    /**
     * Null when unknown
     */
    video_view_count: number | null;
    /**
     * Null when unknown
     */
    video_play_count: number | null;
    /**
     * Null when unknown
     */
    num_comments: number | null;
    /**
     * ISO 8601 UTC; null when unknown
     */
    date_posted: string | null;
    /**
     * Who published it; may be a co-author. Null when unknown
     */
    user_posted: string | null;
    /**
     * Whose list it is in, or its owner; null when unknown
     */
    account: string | null;
    /**
     * The platform's own link; it expires. Null when unknown
     */
    video_url: string | null;
    /**
     * Null when unknown
     */
    thumbnail: string | null;
    url: string;
    shortcode: string;
    content_type: 'reel';
    /**
     * Null when unknown
     */
    content_id: string | null;
    /**
     * Such as clips; null when unknown
     */
    product_type: string | null;
    /**
     * Whole seconds; null when unknown
     */
    length: number | null;
    /**
     * The same time as length
     */
    videos_duration: number | null;
    /**
     * Whether the owner is; null when unknown
     */
    is_verified: boolean | null;
    /**
     * Empty when unknown
     */
    videos: Array<string>;
    /**
     * With their #; empty when unknown or without any
     */
    hashtags: Array<string>;
    /**
     * Null when unknown
     */
    is_paid_partnership: boolean | null;
    /**
     * The owner's; null when unknown
     */
    followers: number | null;
    /**
     * The owner's; null when unknown
     */
    posts_count: number | null;
    /**
     * Empty when unknown
     */
    latest_comments: Array<ImgnetReelComment>;
    /**
     * Empty when unknown or without any
     */
    tagged_users: Array<ImgnetTaggedUser>;
    /**
     * User names; empty when unknown or without any
     */
    coauthor_producers: Array<string>;
    status: 'success';
    source: 'api';
    /**
     * What was charged, with the owner's profile when it was fetched for this; an addition
     */
    cost: string;
    /**
     * The job that fetched it; an addition to the specification
     */
    download: {
        id: Ulid;
        type: 'imgnet_post';
        /**
         * Decimal string with three decimals
         */
        cost: string;
        status: 'success';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        /**
         * The shortcode
         */
        media_id: string;
    };
};

export type ImgnetReelComment = {
    comment: string;
    user_commenting: string | null;
    likes: number | null;
    /**
     * ISO 8601 UTC; only the day where the platform tells no more
     */
    date_of_comment: string | string | null;
};

export type ImgnetAudioRecord = {
    id: Ulid;
    media_id: string;
    /**
     * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    status: 'pending' | 'success' | 'failed';
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * The title on the platform, when it is known; in lists only
     */
    title?: string;
    /**
     * The reason of the failure, if the status is failed
     */
    response: string | null;
    /**
     * Of the first video with sound; null until there is one
     */
    duration: string | null;
    transcript_speaker_id: Ulid;
    /**
     * Of the first video with sound; null until the status is success
     */
    transcript_speaker_cost: string | null;
    /**
     * The first of `file_urls`; null without one
     */
    audio_url: string | null;
    /**
     * Signed links to M4A files, one for each video, in order; the file of a video without sound is silence. Empty when no video has sound; null until the status is success, and when the files were removed
     */
    file_urls: Array<string> | null;
    progress?: Progress;
    /**
     * The time at which retention removed the files; a new request fetches them again
     */
    files_removed_at?: string;
    type: 'imgnet_audio';
};

export type ImgnetNoAudio = {
    status: 'success';
    message: string;
    download_id: Ulid;
    /**
     * Decimal string with three decimals
     */
    cost: string;
    transcript_speaker_id: Ulid;
    /**
     * 0.000
     */
    transcript_speaker_cost: string;
};

export type ImgnetAudioFailed = {
    data: {
        id: Ulid;
        media_id: string;
        /**
         * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
         */
        cost: string;
        status: 'failed';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        /**
         * The title on the platform, when it is known; in lists only
         */
        title?: string;
        response: string;
        /**
         * Of the first video with sound; null until there is one
         */
        duration: string | null;
        transcript_speaker_id: Ulid;
        /**
         * Of the first video with sound; null until the status is success
         */
        transcript_speaker_cost: string | null;
        /**
         * The first of `file_urls`; null without one
         */
        audio_url: string | null;
        /**
         * Signed links to M4A files, one for each video, in order; the file of a video without sound is silence. Empty when no video has sound; null until the status is success, and when the files were removed
         */
        file_urls: Array<string> | null;
        progress?: Progress;
        /**
         * The time at which retention removed the files; a new request fetches them again
         */
        files_removed_at?: string;
        type: 'imgnet_audio';
    };
};

export type UploadResult = {
    data: UploadRecord;
};

export type UploadRecord = {
    id: Ulid;
    media_id: string;
    /**
     * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    status: 'pending' | 'success' | 'failed';
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * The title on the platform, when it is known; in lists only
     */
    title?: string;
    /**
     * The reason of the failure, if the status is failed
     */
    response: string | null;
    /**
     * Null until the status is success, and for results without a duration
     */
    duration: string | null;
    /**
     * For POST /api/transcriptspeakerid; null for results without sound
     */
    transcript_speaker_id: string | null;
    /**
     * Null until the status is success
     */
    transcript_speaker_cost: string | null;
    /**
     * Signed link to the M4A file; null until the status is success, after its removal, and for results without audio
     */
    audio_url: string | null;
    /**
     * One signed link to the file, as M4A or MP4; null until the status is success, and when the file was removed
     */
    file_urls: Array<string> | null;
    progress?: Progress;
    /**
     * The time at which retention removed the files; a new request fetches them again
     */
    files_removed_at?: string;
    type: 'upload';
    /**
     * The name of the uploaded file
     */
    name: string;
};

export type UploadFailed = {
    data: {
        id: Ulid;
        media_id: string;
        /**
         * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
         */
        cost: string;
        status: 'failed';
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
        /**
         * The title on the platform, when it is known; in lists only
         */
        title?: string;
        response: string;
        /**
         * Null until the status is success, and for results without a duration
         */
        duration: string | null;
        /**
         * For POST /api/transcriptspeakerid; null for results without sound
         */
        transcript_speaker_id: string | null;
        /**
         * Null until the status is success
         */
        transcript_speaker_cost: string | null;
        /**
         * Signed link to the M4A file; null until the status is success, after its removal, and for results without audio
         */
        audio_url: string | null;
        /**
         * One signed link to the file, as M4A or MP4; null until the status is success, and when the file was removed
         */
        file_urls: Array<string> | null;
        progress?: Progress;
        /**
         * The time at which retention removed the files; a new request fetches them again
         */
        files_removed_at?: string;
        type: 'upload';
        /**
         * The name of the uploaded file
         */
        name: string;
    };
};

export type Batch = {
    id: Ulid;
    name: string | null;
    status: 'listing' | 'running' | 'paused' | 'cancelling' | 'cancelled' | 'finished' | 'failed';
    /**
     * POST …/resume continues it
     */
    pause: {
        code: 'max_cost' | 'insufficient_credit' | 'key_revoked' | 'stopped_by_operator';
        message: string;
    } | null;
    /**
     * The list whose entries are the items
     */
    from: string | null;
    /**
     * Why that list could not be read
     */
    failure: {
        code: string;
        message: string;
    } | null;
    /**
     * The number of all items; 0 until the list is read
     */
    items: number;
    counts: {
        waiting: number;
        running: number;
        success: number;
        failed: number;
        skipped: number;
        cancelled: number;
    };
    /**
     * The charges of the items that have ended, and of the list once it is read
     */
    cost: string;
    /**
     * The same, with the prices of all other items and of the list
     */
    cost_at_most: string;
    /**
     * The cost of the list of a profile: the least one until the number of its posts is known; null for other lists
     */
    list_cost: string | null;
    /**
     * Decimal string with three decimals
     */
    max_cost: string | null;
    /**
     * The rate of the last minutes; null if it is not known
     */
    items_per_minute: number | null;
    /**
     * An estimate from that rate
     */
    seconds_left: number | null;
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * ISO 8601 UTC with microseconds
     */
    finished_at: string | null;
    /**
     * The path of the batch
     */
    url: string;
    /**
     * Signed link to a Zip archive with the results of the items that have ended
     */
    archive_url: string;
};

export type Subscription = {
    id: Ulid;
    name: string | null;
    from: string;
    each: {
        [key: string]: unknown;
    };
    filter: {
        [key: string]: unknown;
    };
    since: string;
    every: string;
    status: 'active' | 'paused';
    /**
     * POST …/resume continues it
     */
    pause: {
        code: 'requested' | 'backlog' | 'source_failed' | 'key_revoked';
        message: string;
    } | null;
    /**
     * Entries that wait: for POST …/resume, for the end of a premiere, or for the next day
     */
    backlog: {
        items: number;
        /**
         * At most
         */
        cost: string;
    };
    /**
     * The number of entries that were started
     */
    started: number;
    /**
     * The prices of what was started today, in UTC
     */
    cost_today: string;
    /**
     * The cost of a check of a profile whose list is not running or fresh: the least one until the first check; null for other lists
     */
    check_cost: string | null;
    /**
     * Decimal string with three decimals
     */
    max_cost_per_day: string | null;
    /**
     * ISO 8601 UTC with microseconds
     */
    checked_at: string | null;
    /**
     * Why the last check failed
     */
    failure: {
        code: string;
        message: string;
    } | null;
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * The path of the subscription
     */
    url: string;
};

export type WebhookTestBody = {
    test: true;
    message: string;
};

export type JobResult = AudioResult | VideoResult | MediaResult | MediaInfo | UploadResult | ChannelProfile | Transcript | VidnetPendingResult | VidnetFailedResult | ImgnetProfile | ImgnetProfilePending | ImgnetPost | ImgnetReel | ImgnetContentPending | FailedResult | ImgnetList | ImgnetListPending | ImgnetListFailed | {
    data: ImgnetAudioRecord;
} | ImgnetNoAudio | SpeakerLabels | SpeakerLabelsFailed | SpeakerLabelsPending | AudioRequired;

export type VidnetPendingResult = {
    status: 'pending';
    message: string;
    download_id: Ulid;
    /**
     * The price of the job, which is charged if it succeeds
     */
    cost: string;
    download: {
        id: Ulid;
        type: 'imgnet_profile' | 'imgnet_post' | 'imgnet_audio' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'audio' | 'vidnet_video' | 'list' | 'captions' | 'speaker_labels' | 'media' | 'media_info' | 'upload';
        status: 'pending';
        vidnet_video_id: string;
    };
    progress?: Progress;
};

export type ImgnetProfilePending = {
    status: 'pending';
    message: string;
    download_id: Ulid;
    /**
     * The price of the job, which is charged if it succeeds
     */
    cost: string;
    download: {
        id: Ulid;
        type: 'imgnet_profile' | 'imgnet_post' | 'imgnet_audio' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'audio' | 'vidnet_video' | 'list' | 'captions' | 'speaker_labels' | 'media' | 'media_info' | 'upload';
        status: 'pending';
    };
    progress?: Progress;
    /**
     * For POST /api/imgnet/list; valid for one hour after this answer
     */
    list_id: string;
    /**
     * The minimum price of the list, whose length is not known yet
     */
    list_cost: number;
    source: 'api';
    last_response?: LastResponse;
};

export type ImgnetContentPending = {
    status: 'pending';
    message: string;
    download_id: Ulid;
    /**
     * The price of the job; it includes the profile of the owner until it is known that this need not be fetched
     */
    cost: string;
    download: {
        id: Ulid;
        type: 'imgnet_profile' | 'imgnet_post' | 'imgnet_audio' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'audio' | 'vidnet_video' | 'list' | 'captions' | 'speaker_labels' | 'media' | 'media_info' | 'upload';
        status: 'pending';
    };
    progress?: Progress;
    last_response?: LastResponse;
};

export type ImgnetListPending = {
    status: 'pending';
    message: string;
    downloads: {
        posts: {
            id: Ulid;
            type: 'imgnet_list_posts';
            status: 'pending' | 'success' | 'failed';
        };
        reels: {
            id: Ulid;
            type: 'imgnet_list_reels';
            status: 'pending' | 'success' | 'failed';
        };
    };
    /**
     * What both parts cost if they succeed
     */
    total_cost: number;
    /**
     * Present when only the reels are pending; an addition
     */
    posts?: Array<ImgnetPostItem>;
    /**
     * Present when only the posts are pending; an addition
     */
    reels?: Array<ImgnetReelItem>;
    /**
     * A part that failed within the last 30 minutes
     */
    last_response?: {
        posts?: LastResponse;
        reels?: LastResponse;
    };
    progress?: {
        posts?: Progress;
        reels?: Progress;
    };
};

export type SpeakerLabelsPending = {
    status: 'pending';
    message: string;
    /**
     * The id of the audio, as in the request
     */
    transcript_speaker_id: string;
    media_id: string;
    /**
     * Decimal string with three decimals
     */
    transcript_speaker_cost: string;
    /**
     * The price of a request that had the audio fetched: the audio and its labels. Until the audio is there, at least this
     */
    cost?: string;
    /**
     * The job
     */
    download_id: string;
    progress?: Progress;
};

export type AudioRequired = {
    status: 'pending';
    message: string;
    transcript_speaker_id: Ulid;
};

export type BatchEvent = {
    batch: Batch;
    /**
     * The items that have ended since the event before
     */
    ended: Array<BatchItem>;
};

export type BatchItem = {
    /**
     * Counted from 0, in the order of the request
     */
    number: number;
    state: 'waiting' | 'running' | 'success' | 'failed' | 'skipped' | 'cancelled';
    /**
     * The `operationId` of the single request
     */
    operation: string;
    /**
     * The body of the single request, without its webhook
     */
    request: {
        [key: string]: unknown;
    };
    /**
     * The charge for this item; 0.000 if its job was started by another request
     */
    cost: string;
    failure: {
        code: string;
        message: string;
    } | null;
    /**
     * The download record, as soon as the item has one
     */
    record: AudioRecord | VideoRecord | ChannelRecord | CaptionsRecord | FactsRecord | ImgnetAudioRecord | MediaRecord | UploadRecord | null;
};

export type ChannelRecord = {
    id: Ulid;
    media_id: string;
    /**
     * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    status: 'pending' | 'success' | 'failed';
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * The title on the platform, when it is known; in lists only
     */
    title?: string;
    /**
     * The reason of the failure, if the status is failed
     */
    response: string | null;
    /**
     * Null until the status is success, and for results without a duration
     */
    duration: string | null;
    /**
     * For POST /api/transcriptspeakerid; null for results without sound
     */
    transcript_speaker_id: string | null;
    /**
     * Null until the status is success
     */
    transcript_speaker_cost: string | null;
    /**
     * Signed link to the M4A file; null until the status is success, after its removal, and for results without audio
     */
    audio_url: string | null;
    /**
     * Signed links to the files; null until the status is success, after their removal, and for results without files
     */
    file_urls: Array<string> | null;
    progress?: Progress;
    type: 'list';
    /**
     * The channel as in the request; its id once the status is success
     */
    vidnet_video_id: string;
};

export type CaptionsRecord = {
    id: Ulid;
    media_id: string;
    /**
     * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    status: 'pending' | 'success' | 'failed';
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * The title on the platform, when it is known; in lists only
     */
    title?: string;
    /**
     * The reason of the failure, if the status is failed
     */
    response: string | null;
    /**
     * Null until the status is success, and for results without a duration
     */
    duration: string | null;
    /**
     * For POST /api/transcriptspeakerid; null for results without sound
     */
    transcript_speaker_id: string | null;
    /**
     * Null until the status is success
     */
    transcript_speaker_cost: string | null;
    /**
     * Signed link to the M4A file; null until the status is success, after its removal, and for results without audio
     */
    audio_url: string | null;
    /**
     * Signed links to the files; null until the status is success, after their removal, and for results without files
     */
    file_urls: Array<string> | null;
    progress?: Progress;
    /**
     * Null for pages of other sites
     */
    vidnet_video_id: string | null;
    /**
     * The URL of the request, for pages of other sites
     */
    url?: string;
    type: 'captions';
    /**
     * The requested language; several are separated by commas
     */
    language: string;
};

export type FactsRecord = {
    id: Ulid;
    media_id: string;
    /**
     * The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late
     */
    cost: string;
    status: 'pending' | 'success' | 'failed';
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * The title on the platform, when it is known; in lists only
     */
    title?: string;
    /**
     * The reason of the failure, if the status is failed
     */
    response: string | null;
    /**
     * Null until the status is success, and for results without a duration
     */
    duration: string | null;
    /**
     * For POST /api/transcriptspeakerid; null for results without sound
     */
    transcript_speaker_id: string | null;
    /**
     * Null until the status is success
     */
    transcript_speaker_cost: string | null;
    /**
     * Signed link to the M4A file; null until the status is success, after its removal, and for results without audio
     */
    audio_url: string | null;
    /**
     * Signed links to the files; null until the status is success, after their removal, and for results without files
     */
    file_urls: Array<string> | null;
    progress?: Progress;
    type: 'imgnet_profile' | 'imgnet_post' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'speaker_labels' | 'media_info';
};

export type Error = {
    /**
     * A sentence for people
     */
    error: string;
    /**
     * Stable, for programs
     */
    code: 'invalid_input' | 'invalid_json' | 'webhook_target_forbidden' | 'audio_failed' | 'unauthorized' | 'insufficient_credit' | 'forbidden' | 'link_invalid' | 'not_found' | 'method_not_allowed' | 'request_timeout' | 'pending_duplicate' | 'already_finished' | 'not_ready' | 'contents_in_use' | 'delivery_pending' | 'idempotency_key_in_use' | 'too_many_webhooks' | 'list_id_expired' | 'precondition_failed' | 'body_too_large' | 'encoding_not_supported' | 'range_not_satisfiable' | 'idempotency_key_reused' | 'answers_unread' | 'rate_limited' | 'internal' | 'unavailable';
    /**
     * The download that conflicts with the request
     */
    id?: string;
    /**
     * The price of the request, with status 402
     */
    price?: string;
    /**
     * The available credit of the key, with status 402
     */
    credit?: string;
    /**
     * The invalid fields with their reasons
     */
    details?: Array<{
        path: string;
        message: string;
    }>;
};

export type VidnetDownloadRequest = {
    vidnet_video_id: VidnetVideoId;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
    /**
     * While a job for this video runs: `error` (the default) is 409, `join` adds the webhook to that job
     */
    on_duplicate?: 'error' | 'join' | null;
};

/**
 * The URL to which the result is POSTed when the job ends: a publicly reachable http(s) URL. Public IP addresses and names in other scripts are accepted too, and hosts that the operator has allowed.
 */
export type IncludeWebhook = string | null;

export type MediaRequest = {
    /**
     * URL of the page of one video or recording, on any site that the operator allows (MEDIA_SITES), or of a post or reel of the photo platform
     */
    url: string;
    /**
     * `audio`: M4A, or `video`: MP4, unless `container` names another; of a post or reel, `video` means all its pictures and videos as they are
     */
    format: 'audio' | 'video';
    /**
     * The most lines of a video; else the next lower height is taken
     */
    max_height?: number | null;
    /**
     * The container of a video is `mp4` (default), `mkv`, or `webm` if the page has it; that of audio is `m4a` (default) or another
     */
    container?: 'mp4' | 'mkv' | 'webm' | 'm4a' | 'mp3' | 'opus' | 'flac' | 'wav' | null;
    /**
     * The codec of the pictures that is preferred
     */
    codec?: 'h264' | 'hevc' | 'vp9' | 'av1' | null;
    /**
     * Encode the sound with this many kbit/s
     */
    bit_rate?: number | null;
    /**
     * The language of the sound; default: `original`
     */
    sound_language?: 'original' | string | null;
    section?: MediaSection;
    /**
     * Further data to write into the file; `captions` are those made by people
     */
    embed?: Array<'tags' | 'cover' | 'chapters' | 'captions'> | null;
    sponsorblock?: SponsorBlockOptions;
    /**
     * Wait for a premiere or an announced broadcast, for at most 7 days, instead of failing as `not_started`
     */
    wait_for_start?: boolean | null;
    live?: LiveRecording;
    /**
     * The name of the file without its ending, such as `{date} {title}`
     */
    file_name?: string | null;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
};

/**
 * The only part to fetch
 */
export type MediaSection = {
    from?: number | string | null;
    to?: number | string | null;
    /**
     * The title of a chapter, instead of times
     */
    chapter?: string | null;
    /**
     * Encode the section again to cut it to the frame
     */
    exact?: boolean | null;
} | null;

/**
 * Segments that viewers of the video platform reported to SponsorBlock
 */
export type SponsorBlockOptions = {
    /**
     * Segments that become chapters
     */
    mark?: Array<'sponsor' | 'selfpromo' | 'interaction' | 'intro' | 'outro' | 'preview' | 'hook' | 'filler' | 'music_offtopic'> | null;
    /**
     * Segments that are cut out
     */
    remove?: Array<'sponsor' | 'selfpromo' | 'interaction' | 'intro' | 'outro' | 'preview' | 'hook' | 'filler' | 'music_offtopic'> | null;
} | null;

/**
 * Record a running broadcast; the recording ends earlier if the broadcast ends or stalls
 */
export type LiveRecording = {
    /**
     * `start`: from its beginning, if the site offers that
     */
    from: 'start' | 'now';
    seconds?: number | null;
    until?: string | null;
} | null;

export type PendingResult = {
    status: 'pending';
    message: string;
    download_id: Ulid;
    /**
     * The price of the job, which is charged if it succeeds
     */
    cost: string;
    download: {
        id: Ulid;
        type: 'imgnet_profile' | 'imgnet_post' | 'imgnet_audio' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'audio' | 'vidnet_video' | 'list' | 'captions' | 'speaker_labels' | 'media' | 'media_info' | 'upload';
        status: 'pending';
    };
    progress?: Progress;
};

export type MediaInfoRequest = {
    /**
     * URL of a video, playlist or channel of the video platform, or of a page of any site that the operator allows; also the bare ID of a video, or a handle such as `@evening-talks`
     */
    url: string;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
};

export type DownloadList = {
    downloads: Array<DownloadRecord>;
    /**
     * Where the list goes on; null on the last page
     */
    next_cursor: string | null;
};

export type DownloadRecord = ({
    type: 'audio';
} & AudioRecord) | ({
    type: 'vidnet_video';
} & VideoRecord) | ({
    type: 'list';
} & ChannelRecord) | ({
    type: 'captions';
} & CaptionsRecord) | ({
    type: 'imgnet_profile' | 'imgnet_post' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'speaker_labels' | 'media_info';
} & FactsRecord) | ({
    type: 'imgnet_audio';
} & ImgnetAudioRecord) | ({
    type: 'media';
} & MediaRecord) | ({
    type: 'upload';
} & UploadRecord);

export type DownloadResult = {
    data: DownloadRecord;
};

export type Resolved = {
    /**
     * The most likely one first; empty if the text refers to nothing
     */
    subjects: Array<Subject>;
};

export type Subject = {
    kind: 'video' | 'channel' | 'playlist' | 'profile' | 'post' | 'reel' | 'page';
    /**
     * The ID of a video or playlist, the path of a channel, the name of an account, a shortcode, or the URL of a page
     */
    id: string;
    /**
     * The URL of its page
     */
    url: string;
    /**
     * Empty if the service cannot fetch it
     */
    offers: Array<Offer>;
    /**
     * The reason why there are no offers, or no others
     */
    note: string | null;
};

export type Offer = {
    /**
     * `operationId` of the request
     */
    operation: string;
    path: string;
    /**
     * The known fields of the request
     */
    body: {
        [key: string]: string | boolean | {
            [key: string]: string;
        };
    };
    /**
     * The fields that the caller must add
     */
    needs: Array<string>;
    /**
     * The operation that comes first, because its result contains the fields in `needs`
     */
    after: string | null;
    /**
     * Decimal string with three decimals
     */
    price: string;
    /**
     * This price is added once: that of the audio of a transcript unless it is kept, or the least one of the list of a profile
     */
    base?: string;
    /**
     * How long the transcription of a minute of audio takes here, as measured lately; absent if it is not known
     */
    seconds_per_minute?: number;
    /**
     * The unit of the price: the job, each started minute of audio, each post of an account, or each entry of a list
     */
    per: 'job' | 'minute' | 'post' | 'entry';
};

export type JobDetails = {
    download_id: Ulid;
    /**
     * The title on the platform; null until it is known
     */
    title: string | null;
    /**
     * Null while the job runs
     */
    finished_at: string | null;
    failure: {
        /**
         * Stable, for programs
         */
        code: 'private' | 'removed' | 'geo_blocked' | 'age_restricted' | 'members_only' | 'live' | 'not_started' | 'drm_protected' | 'no_audio' | 'no_video' | 'no_captions' | 'insufficient_credit' | 'too_long' | 'too_large' | 'unsupported' | 'rate_limited' | 'quota_exceeded' | 'sign_in_required' | 'upstream_error' | 'upstream_timeout' | 'incomplete' | 'cancelled' | 'tool_missing' | 'disk_full' | 'internal';
        /**
         * The origin of the failure: the subject (final), the platform (`upstream`, may recover) or the service (`internal`, the operator acts)
         */
        fault: 'subject' | 'upstream' | 'internal';
        message: string;
    } | null;
    /**
     * The request that starts the same job again; null for parts of lists, which need the `list_id` of a new profile
     */
    request: {
        method: 'POST';
        path: string;
        body: {
            [key: string]: unknown;
        };
    } | null;
    files: Array<{
        name: string;
        size_bytes: number;
        sha256: string;
    }>;
    /**
     * About how long its speaker labels take; null without sound, and until a speed was measured
     */
    transcription_seconds: number | null;
    workflow: {
        id: string;
        /**
         * The page in the Temporal Web UI; null if its address is not configured
         */
        url: string | null;
    };
};

export type ChannelRequest = {
    /**
     * Channel URL (`/@handle`, `/channel/ID`, `/c/NAME`, `/user/NAME`), or a bare handle or channel id
     */
    url: string;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
};

export type TranscriptRequest = ({
    language: string | Array<string>;
} | {
    mode: 'generate';
}) & {
    /**
     * A video of the video platform
     */
    vidnet_video_id?: string | null;
    /**
     * Language code such as `en`, or a list, of which the first with captions is used. With `generate`, a single one is the spoken language, and may be left out
     */
    language?: string | Array<string> | null;
    /**
     * Include the video's comments
     */
    include_comments?: boolean | null;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
    /**
     * URL of a video of the video platform, of a post or reel of the photo platform, or of a page of another site
     */
    url?: string | null;
    /**
     * `native`, the default: the captions of the page. `auto`: its captions, or else what is spoken. `generate`: what is spoken
     */
    mode?: 'native' | 'auto' | 'generate' | null;
};

export type SpeechRequest = ({
    url: string;
} | {
    vidnet_video_id: string;
} | {
    download_id: string;
}) & {
    /**
     * URL of a video of the video platform, of a post or reel of the photo platform, or of a page of another site
     */
    url?: string | null;
    /**
     * A video of the video platform
     */
    vidnet_video_id?: string | null;
    /**
     * A download with sound: audio, a video, or media of a page
     */
    download_id?: string | null;
    /**
     * The spoken language
     */
    language?: string | null;
    speakers?: Speakers;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
};

export type Speakers = ({
    min?: null;
    max?: null;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | {
    exact?: null;
    min?: unknown;
    max?: unknown;
} | null) & {
    /**
     * Excludes `min` and `max`
     */
    exact?: number | null;
    /**
     * The least number
     */
    min?: number | null;
    /**
     * The greatest number
     */
    max?: number | null;
};

export type SpeakerLabelsRequest = {
    /**
     * `transcript_speaker_id` of a download with sound
     */
    transcript_with_speaker_id: string;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
    /**
     * The spoken language
     */
    language?: string | null;
    speakers?: Speakers;
};

export type SpokenWords = {
    status: 'success';
    media_id: string;
    /**
     * The names of speakers; the keys are their labels
     */
    speaker_names?: {
        [key: string]: string;
    };
    /**
     * Empty when there is no speech
     */
    segments: Array<{
        text: string;
        /**
         * Seconds
         */
        start: number;
        /**
         * Seconds
         */
        duration: number;
        /**
         * Label, in order of appearance
         */
        speaker: string;
        /**
         * The mean over the words; absent when the engine does not report it
         */
        confidence?: number;
        /**
         * The start of each word of the text, in seconds; words are separated by spaces
         */
        word_starts: Array<number>;
        /**
         * The confidence of each word; absent when the engine does not report it
         */
        word_confidences?: Array<number>;
    }>;
    /**
     * The intervals with one speaker, including those without words, in order of their start
     */
    turns: Array<{
        start: number;
        duration: number;
        speaker: string;
    }>;
};

export type NamedSpeakers = {
    status: 'success';
    /**
     * The names of speakers; the keys are their labels
     */
    speaker_names: {
        [key: string]: string;
    };
};

export type NameSpeakersRequest = {
    /**
     * Replaces all names; without any, the labels are shown
     */
    names: {
        [key: string]: string;
    };
};

export type ImgnetProfileRequest = {
    /**
     * URL of a profile, or `@name`
     */
    url: string;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
};

export type ImgnetListRequest = {
    /**
     * `list_id` of a profile result; valid for one hour
     */
    list_id: string;
    /**
     * Only items posted within the N days before the list was first requested; without it all items
     */
    max_age_days?: number | null;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
};

export type ImgnetPostRequest = {
    /**
     * URL of a post (`/p/CODE/`) or a reel (`/reel/CODE/`)
     */
    url: string;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
};

export type ImgnetAudioResult = {
    data: ImgnetAudioRecord;
} | ImgnetNoAudio;

export type BatchRequest = unknown & {
    /**
     * A name for people
     */
    name?: string | null;
    filter?: EntryFilter;
    /**
     * Items that fail with one of these codes are counted as `skipped`, such as `members_only`
     */
    skip?: Array<'private' | 'removed' | 'geo_blocked' | 'age_restricted' | 'members_only' | 'live' | 'not_started' | 'drm_protected' | 'no_audio' | 'no_video' | 'no_captions' | 'insufficient_credit' | 'too_long' | 'too_large' | 'unsupported' | 'rate_limited' | 'quota_exceeded' | 'sign_in_required' | 'upstream_error' | 'upstream_timeout' | 'incomplete' | 'cancelled' | 'tool_missing' | 'disk_full' | 'internal'> | null;
    /**
     * The URL to which the result of each item is POSTed
     */
    item_webhooks?: string | null;
    /**
     * The requests, which are started in this order. Two items must not mean the same job
     */
    items?: Array<BatchItemRequest> | null;
    /**
     * A list whose entries become the items, instead of `items`
     */
    from?: string | null;
    /**
     * Required with `from`
     */
    each?: {
        operation: 'requestAudio';
        /**
         * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
         */
        priority?: 'interactive' | 'normal' | 'bulk' | null;
        /**
         * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
         */
        not_before?: string | null;
        /**
         * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
         */
        keep_days?: number | null;
    } | {
        operation: 'requestVideo';
        /**
         * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
         */
        priority?: 'interactive' | 'normal' | 'bulk' | null;
        /**
         * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
         */
        not_before?: string | null;
        /**
         * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
         */
        keep_days?: number | null;
    } | {
        operation: 'requestMedia';
        /**
         * `audio`: M4A, or `video`: MP4, unless `container` names another; of a post or reel, `video` means all its pictures and videos as they are
         */
        format: 'audio' | 'video';
        /**
         * The most lines of a video; else the next lower height is taken
         */
        max_height?: number | null;
        /**
         * The container of a video is `mp4` (default), `mkv`, or `webm` if the page has it; that of audio is `m4a` (default) or another
         */
        container?: 'mp4' | 'mkv' | 'webm' | 'm4a' | 'mp3' | 'opus' | 'flac' | 'wav' | null;
        /**
         * The codec of the pictures that is preferred
         */
        codec?: 'h264' | 'hevc' | 'vp9' | 'av1' | null;
        /**
         * Encode the sound with this many kbit/s
         */
        bit_rate?: number | null;
        /**
         * The language of the sound; default: `original`
         */
        sound_language?: 'original' | string | null;
        section?: MediaSection;
        /**
         * Further data to write into the file; `captions` are those made by people
         */
        embed?: Array<'tags' | 'cover' | 'chapters' | 'captions'> | null;
        sponsorblock?: SponsorBlockOptions;
        /**
         * Wait for a premiere or an announced broadcast, for at most 7 days, instead of failing as `not_started`
         */
        wait_for_start?: boolean | null;
        live?: LiveRecording;
        /**
         * The name of the file without its ending, such as `{date} {title}`
         */
        file_name?: string | null;
        /**
         * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
         */
        priority?: 'interactive' | 'normal' | 'bulk' | null;
        /**
         * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
         */
        not_before?: string | null;
        /**
         * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
         */
        keep_days?: number | null;
    } | {
        operation: 'requestTranscript';
        /**
         * Language code such as `en`, `de` or `pt-BR`
         */
        language: string;
        /**
         * Include the video's comments
         */
        include_comments?: boolean | null;
        /**
         * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
         */
        priority?: 'interactive' | 'normal' | 'bulk' | null;
        /**
         * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
         */
        not_before?: string | null;
        /**
         * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
         */
        keep_days?: number | null;
    } | {
        operation: 'requestImgnetContent';
        /**
         * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
         */
        priority?: 'interactive' | 'normal' | 'bulk' | null;
        /**
         * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
         */
        not_before?: string | null;
        /**
         * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
         */
        keep_days?: number | null;
    } | {
        operation: 'requestImgnetAudio';
        /**
         * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
         */
        priority?: 'interactive' | 'normal' | 'bulk' | null;
        /**
         * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
         */
        not_before?: string | null;
        /**
         * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
         */
        keep_days?: number | null;
    } | null;
    /**
     * With `from`: the most items; default: 10000
     */
    limit?: number | null;
    /**
     * With `from`: `newest`, the default: in the order of the list, which is newest first for a channel; `oldest`: from its end
     */
    order?: 'newest' | 'oldest' | null;
    /**
     * The batch pauses when its next item would make it cost more than this
     */
    max_cost?: string | null;
    /**
     * The URL to which the batch is POSTed once, when it has ended
     */
    include_webhook?: string | null;
};

/**
 * Which entries are fetched. An entry whose list shows no length or date passes the conditions on it. Dates of lists may be off by days for old entries, because platforms show ages such as "3 weeks ago"
 */
export type EntryFilter = {
    /**
     * Upper and lower case are the same
     */
    title_contains?: string | null;
    /**
     * Entries whose title contains this are left out
     */
    title_omits?: string | null;
    min_seconds?: number | null;
    max_seconds?: number | null;
    /**
     * Published on this day or later, in UTC
     */
    after?: string | null;
    /**
     * Published before this day
     */
    before?: string | null;
    /**
     * Only these: `post` and `reel` of a profile, the others of other lists; `stream`: a broadcast or its recording
     */
    kinds?: Array<'video' | 'short' | 'stream' | 'post' | 'reel'> | null;
} | null;

/**
 * The body of a single request, and in `operation` the `operationId` of that request
 */
export type BatchItemRequest = {
    operation: 'requestAudio';
    vidnet_video_id: VidnetVideoId;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestVideo';
    vidnet_video_id: VidnetVideoId;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestMedia';
    /**
     * URL of the page of one video or recording, on any site that the operator allows (MEDIA_SITES), or of a post or reel of the photo platform
     */
    url: string;
    /**
     * `audio`: M4A, or `video`: MP4, unless `container` names another; of a post or reel, `video` means all its pictures and videos as they are
     */
    format: 'audio' | 'video';
    /**
     * The most lines of a video; else the next lower height is taken
     */
    max_height?: number | null;
    /**
     * The container of a video is `mp4` (default), `mkv`, or `webm` if the page has it; that of audio is `m4a` (default) or another
     */
    container?: 'mp4' | 'mkv' | 'webm' | 'm4a' | 'mp3' | 'opus' | 'flac' | 'wav' | null;
    /**
     * The codec of the pictures that is preferred
     */
    codec?: 'h264' | 'hevc' | 'vp9' | 'av1' | null;
    /**
     * Encode the sound with this many kbit/s
     */
    bit_rate?: number | null;
    /**
     * The language of the sound; default: `original`
     */
    sound_language?: 'original' | string | null;
    section?: MediaSection;
    /**
     * Further data to write into the file; `captions` are those made by people
     */
    embed?: Array<'tags' | 'cover' | 'chapters' | 'captions'> | null;
    sponsorblock?: SponsorBlockOptions;
    /**
     * Wait for a premiere or an announced broadcast, for at most 7 days, instead of failing as `not_started`
     */
    wait_for_start?: boolean | null;
    live?: LiveRecording;
    /**
     * The name of the file without its ending, such as `{date} {title}`
     */
    file_name?: string | null;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestTranscript';
    vidnet_video_id: VidnetVideoId;
    /**
     * Language code such as `en`, `de` or `pt-BR`
     */
    language: string;
    /**
     * Include the video's comments
     */
    include_comments?: boolean | null;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestChannel';
    /**
     * Channel URL (`/@handle`, `/channel/ID`, `/c/NAME`, `/user/NAME`), or a bare handle or channel id
     */
    url: string;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestImgnetProfile';
    /**
     * URL of a profile, or `@name`
     */
    url: string;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestImgnetContent';
    /**
     * URL of a post (`/p/CODE/`) or a reel (`/reel/CODE/`)
     */
    url: string;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestImgnetAudio';
    /**
     * URL of a post (`/p/CODE/`) or a reel (`/reel/CODE/`)
     */
    url: string;
    include_webhook?: IncludeWebhook;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
};

export type BatchList = {
    /**
     * Newest first
     */
    batches: Array<Batch>;
    /**
     * `cursor` of the next page; null on the last one
     */
    next_cursor: string | null;
};

export type BatchItems = {
    items: Array<BatchItem>;
    /**
     * `cursor` of the next page; null on the last one
     */
    next_cursor: number | null;
};

export type ResumeBatchRequest = {
    /**
     * Replaces the `max_cost` of the batch
     */
    max_cost?: string | null;
};

export type SubscriptionRequest = {
    /**
     * URL of a playlist or channel of the video platform, of a profile of the photo platform, or of a page of another site that lists recordings, such as a podcast feed. The list of a profile costs what POST /api/imgnet/profile and /list cost, unless one is being collected or is fresh
     */
    from: string;
    each: EachEntry;
    /**
     * `now`: only what is published from now on; a day: also what was published since then; `all`: everything, after POST …/resume, before which the answer has the number and cost in `backlog`
     */
    since: 'now' | 'all' | string;
    /**
     * A name for people
     */
    name?: string | null;
    filter?: EntryFilter;
    /**
     * Items that fail with one of these codes are counted as `skipped`, such as `members_only`
     */
    skip?: Array<'private' | 'removed' | 'geo_blocked' | 'age_restricted' | 'members_only' | 'live' | 'not_started' | 'drm_protected' | 'no_audio' | 'no_video' | 'no_captions' | 'insufficient_credit' | 'too_long' | 'too_large' | 'unsupported' | 'rate_limited' | 'quota_exceeded' | 'sign_in_required' | 'upstream_error' | 'upstream_timeout' | 'incomplete' | 'cancelled' | 'tool_missing' | 'disk_full' | 'internal'> | null;
    /**
     * The URL to which the result of each item is POSTed
     */
    item_webhooks?: string | null;
    /**
     * Default: `6h`. Checks are spread over a tenth of it
     */
    every?: string | null;
    /**
     * Entries that would make a day in UTC cost more than this wait for the next one. The checks of a profile count, too
     */
    max_cost_per_day?: string | null;
    /**
     * The URL to which each batch of new entries is POSTed at its end, and the subscription when its source fails for long
     */
    include_webhook?: string | null;
};

/**
 * The `operationId` of a single request and its options, for every entry. Lists of other sites have `requestMedia` only, profiles that and the operations of posts
 */
export type EachEntry = {
    operation: 'requestAudio';
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestVideo';
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestMedia';
    /**
     * `audio`: M4A, or `video`: MP4, unless `container` names another; of a post or reel, `video` means all its pictures and videos as they are
     */
    format: 'audio' | 'video';
    /**
     * The most lines of a video; else the next lower height is taken
     */
    max_height?: number | null;
    /**
     * The container of a video is `mp4` (default), `mkv`, or `webm` if the page has it; that of audio is `m4a` (default) or another
     */
    container?: 'mp4' | 'mkv' | 'webm' | 'm4a' | 'mp3' | 'opus' | 'flac' | 'wav' | null;
    /**
     * The codec of the pictures that is preferred
     */
    codec?: 'h264' | 'hevc' | 'vp9' | 'av1' | null;
    /**
     * Encode the sound with this many kbit/s
     */
    bit_rate?: number | null;
    /**
     * The language of the sound; default: `original`
     */
    sound_language?: 'original' | string | null;
    section?: MediaSection;
    /**
     * Further data to write into the file; `captions` are those made by people
     */
    embed?: Array<'tags' | 'cover' | 'chapters' | 'captions'> | null;
    sponsorblock?: SponsorBlockOptions;
    /**
     * Wait for a premiere or an announced broadcast, for at most 7 days, instead of failing as `not_started`
     */
    wait_for_start?: boolean | null;
    live?: LiveRecording;
    /**
     * The name of the file without its ending, such as `{date} {title}`
     */
    file_name?: string | null;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestTranscript';
    /**
     * Language code such as `en`, `de` or `pt-BR`
     */
    language: string;
    /**
     * Include the video's comments
     */
    include_comments?: boolean | null;
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestImgnetContent';
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
} | {
    operation: 'requestImgnetAudio';
    /**
     * The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches
     */
    priority?: 'interactive' | 'normal' | 'bulk' | null;
    /**
     * A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once
     */
    not_before?: string | null;
    /**
     * For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered
     */
    keep_days?: number | null;
};

export type SubscriptionList = {
    /**
     * Newest first
     */
    subscriptions: Array<Subscription>;
    /**
     * `cursor` of the next page; null on the last one
     */
    next_cursor: string | null;
};

export type SubscriptionChange = {
    /**
     * A name for people
     */
    name?: string | null;
    filter?: EntryFilter;
    /**
     * Items that fail with one of these codes are counted as `skipped`, such as `members_only`
     */
    skip?: Array<'private' | 'removed' | 'geo_blocked' | 'age_restricted' | 'members_only' | 'live' | 'not_started' | 'drm_protected' | 'no_audio' | 'no_video' | 'no_captions' | 'insufficient_credit' | 'too_long' | 'too_large' | 'unsupported' | 'rate_limited' | 'quota_exceeded' | 'sign_in_required' | 'upstream_error' | 'upstream_timeout' | 'incomplete' | 'cancelled' | 'tool_missing' | 'disk_full' | 'internal'> | null;
    /**
     * The URL to which the result of each item is POSTed
     */
    item_webhooks?: string | null;
    /**
     * Default: `6h`. Checks are spread over a tenth of it
     */
    every?: string | null;
    /**
     * Entries that would make a day in UTC cost more than this wait for the next one. The checks of a profile count, too
     */
    max_cost_per_day?: string | null;
    /**
     * The URL to which each batch of new entries is POSTed at its end, and the subscription when its source fails for long
     */
    include_webhook?: string | null;
};

export type SubscriptionItems = {
    /**
     * The items of the newest batch come first
     */
    items: Array<{
        /**
         * Counted from 0, in the order of the request
         */
        number: number;
        state: 'waiting' | 'running' | 'success' | 'failed' | 'skipped' | 'cancelled';
        /**
         * The `operationId` of the single request
         */
        operation: string;
        /**
         * The body of the single request, without its webhook
         */
        request: {
            [key: string]: unknown;
        };
        /**
         * The charge for this item; 0.000 if its job was started by another request
         */
        cost: string;
        failure: {
            code: string;
            message: string;
        } | null;
        /**
         * The download record, as soon as the item has one
         */
        record: AudioRecord | VideoRecord | ChannelRecord | CaptionsRecord | FactsRecord | ImgnetAudioRecord | MediaRecord | UploadRecord | null;
        batch_id: Ulid;
    }>;
    /**
     * `cursor` of the next page; null on the last one
     */
    next_cursor: string | null;
};

export type Feed = {
    id: Ulid;
    /**
     * The ID of the batch or subscription whose files are the episodes; `feeds` for an OPML list of all feeds of the caller
     */
    source: Ulid | 'feeds';
    title: string;
    language: string;
    image_url: string | null;
    /**
     * ISO 8601 UTC with microseconds
     */
    created_at: string;
    /**
     * Contains the token of the feed, which is not stored: null except in the answer to POST /api/feeds
     */
    rss_url: string | null;
    /**
     * Contains the token of the feed, which is not stored: null except in the answer to POST /api/feeds
     */
    json_url: string | null;
    /**
     * The address of the OPML document, if the source is `feeds`; `rss_url` and `json_url` are then null
     */
    opml_url: string | null;
};

export type FeedRequest = {
    /**
     * The ID of the batch or subscription whose files are the episodes; `feeds` for an OPML list of all feeds of the caller
     */
    source: Ulid | 'feeds';
    /**
     * The title of the feed; by default, the name of the source
     */
    title?: string | null;
    /**
     * The language of the recordings; by default `en`
     */
    language?: string | null;
    /**
     * The artwork: a square JPEG or PNG of 1400 to 3000 pixels
     */
    image_url?: string | null;
};

export type FeedList = {
    /**
     * Newest first
     */
    feeds: Array<Feed>;
    /**
     * `cursor` of the next page; null on the last one
     */
    next_cursor: string | null;
};

export type WebhookTestResult = {
    status: 'success' | 'error';
    message: string;
    /**
     * The status code of the response; 0 if there is none
     */
    http_status: number;
};

export type WebhookTestRefused = {
    /**
     * A sentence for people
     */
    error: string;
    /**
     * Stable, for programs
     */
    code: 'invalid_input' | 'invalid_json' | 'webhook_target_forbidden' | 'audio_failed' | 'unauthorized' | 'insufficient_credit' | 'forbidden' | 'link_invalid' | 'not_found' | 'method_not_allowed' | 'request_timeout' | 'pending_duplicate' | 'already_finished' | 'not_ready' | 'contents_in_use' | 'delivery_pending' | 'idempotency_key_in_use' | 'too_many_webhooks' | 'list_id_expired' | 'precondition_failed' | 'body_too_large' | 'encoding_not_supported' | 'range_not_satisfiable' | 'idempotency_key_reused' | 'answers_unread' | 'rate_limited' | 'internal' | 'unavailable';
    /**
     * The download that conflicts with the request
     */
    id?: string;
    /**
     * The price of the request, with status 402
     */
    price?: string;
    /**
     * The available credit of the key, with status 402
     */
    credit?: string;
    /**
     * The invalid fields with their reasons
     */
    details?: Array<{
        path: string;
        message: string;
    }>;
    status: 'error';
    /**
     * The same as `error`
     */
    message: string;
    /**
     * Nothing was sent
     */
    http_status: 0;
};

export type WebhookTestRequest = {
    /**
     * The webhook URL to test: a publicly reachable http(s) URL. Public IP addresses and names in other scripts are accepted too, and hosts that the operator has allowed.
     */
    url: string;
};

export type WebhookDeliveryList = {
    deliveries: Array<WebhookDelivery>;
    /**
     * `cursor` of the next page; null on the last one
     */
    next_cursor: string | null;
};

export type WebhookDelivery = {
    /**
     * The `webhook-id` of the message
     */
    id: string;
    download_id: Ulid;
    /**
     * The receiver without path and query, which may contain a secret
     */
    url: string;
    /**
     * `X-Webhook-Endpoint`
     */
    endpoint: string;
    state: 'pending' | 'delivered' | 'abandoned';
    created_at: string;
    attempts: Array<{
        /**
         * Counted from 1 over all redeliveries
         */
        number: number;
        started_at: string;
        duration_ms: number;
        /**
         * The status code of the response
         */
        http_status?: number;
        /**
         * The reason why there is no response: `timeout`, `dns`, `refused`, …
         */
        error?: string;
    }>;
    /**
     * The earliest time of the next attempt, if there is one
     */
    next_attempt_at?: string;
};

export type Account = {
    key: {
        /**
         * Not secret
         */
        id: string;
        name: string;
        scopes: Array<'read' | 'jobs' | 'webhooks'>;
        /**
         * ISO 8601 UTC with microseconds
         */
        created_at: string;
    };
    /**
     * Available for new jobs; null when the key is unlimited
     */
    credit: string | null;
    /**
     * Reserved for jobs that have not ended
     */
    reserved: string;
    /**
     * The charges of all downloads of the key
     */
    spent: string;
    /**
     * The charge of each download, newest first; free downloads are omitted
     */
    entries: Array<{
        download_id: Ulid;
        type: 'imgnet_profile' | 'imgnet_post' | 'imgnet_audio' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'audio' | 'vidnet_video' | 'list' | 'captions' | 'speaker_labels' | 'media' | 'media_info' | 'upload';
        media_id: string;
        /**
         * Decimal string with three decimals
         */
        amount: string;
        /**
         * ISO 8601 UTC with microseconds
         */
        booked_at: string;
    }>;
    /**
     * `cursor` of the next page; null on the last one
     */
    next_cursor: string | null;
};

export type Live = {
    status: 'ok';
};

export type Health = {
    status: 'ok' | 'unavailable';
    temporal: 'ok' | 'unavailable';
    mongodb: 'ok' | 'unavailable';
};

export type RequestAudioData = {
    body: VidnetDownloadRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/downloads/audio';
};

export type RequestAudioErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | AudioFailed;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, pending_duplicate, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | AudioFailed;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestAudioError = RequestAudioErrors[keyof RequestAudioErrors];

export type RequestAudioResponses = {
    /**
     * The audio was fetched before; nothing is charged
     */
    200: AudioResult;
    /**
     * A job was started
     */
    202: AudioResult;
};

export type RequestAudioResponse = RequestAudioResponses[keyof RequestAudioResponses];

export type RequestVideoData = {
    body: VidnetDownloadRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/downloads/video';
};

export type RequestVideoErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | VideoFailed;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, pending_duplicate, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | VideoFailed;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestVideoError = RequestVideoErrors[keyof RequestVideoErrors];

export type RequestVideoResponses = {
    /**
     * The video was fetched before; nothing is charged
     */
    200: VideoResult;
    /**
     * A job was started
     */
    202: VideoResult;
};

export type RequestVideoResponse = RequestVideoResponses[keyof RequestVideoResponses];

export type RequestMediaData = {
    body: MediaRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/downloads/media';
};

export type RequestMediaErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | MediaFailed;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | MediaFailed;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestMediaError = RequestMediaErrors[keyof RequestMediaErrors];

export type RequestMediaResponses = {
    /**
     * The file; if it was fetched before, nothing is charged
     */
    200: MediaResult;
    /**
     * The job has not ended
     */
    202: MediaResult;
};

export type RequestMediaResponse = RequestMediaResponses[keyof RequestMediaResponses];

export type RequestMediaInfoData = {
    body: MediaInfoRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 25) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/media/info';
};

export type RequestMediaInfoErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | FailedResult;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | FailedResult;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestMediaInfoError = RequestMediaInfoErrors[keyof RequestMediaInfoErrors];

export type RequestMediaInfoResponses = {
    /**
     * The page states these facts; they are at most ten minutes old
     */
    200: MediaInfo;
    /**
     * The job has not ended
     */
    202: PendingResult;
};

export type RequestMediaInfoResponse = RequestMediaInfoResponses[keyof RequestMediaInfoResponses];

export type ListDownloadsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only jobs of this type; `media_info` jobs are listed only by it
         */
        type?: 'imgnet_profile' | 'imgnet_post' | 'imgnet_audio' | 'imgnet_list_posts' | 'imgnet_list_reels' | 'audio' | 'vidnet_video' | 'list' | 'captions' | 'speaker_labels' | 'media' | 'media_info' | 'upload';
        /**
         * Only jobs with this status
         */
        status?: 'pending' | 'success' | 'failed';
        /**
         * Only jobs about this video, channel, account or post
         */
        media_id?: string;
        /**
         * Only jobs created at this time or later
         */
        created_after?: string;
        /**
         * Only jobs created before this time
         */
        created_before?: string;
        /**
         * Maximum number of items on a page
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page
         */
        cursor?: string;
    };
    url: '/api/downloads';
};

export type ListDownloadsErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ListDownloadsError = ListDownloadsErrors[keyof ListDownloadsErrors];

export type ListDownloadsResponses = {
    /**
     * A page of download records
     */
    200: DownloadList;
};

export type ListDownloadsResponse = ListDownloadsResponses[keyof ListDownloadsResponses];

export type CancelDownloadData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        downloadId: Ulid;
    };
    query?: never;
    url: '/downloads/{downloadId}';
};

export type CancelDownloadErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * already_finished
     */
    409: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type CancelDownloadError = CancelDownloadErrors[keyof CancelDownloadErrors];

export type CancelDownloadResponses = {
    /**
     * The job has ended as failed
     */
    200: DownloadResult;
    /**
     * The job is being cancelled
     */
    202: DownloadResult;
};

export type CancelDownloadResponse = CancelDownloadResponses[keyof CancelDownloadResponses];

export type GetDownloadData = {
    body?: never;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
    };
    path: {
        /**
         * ULID
         */
        downloadId: Ulid;
    };
    query?: never;
    url: '/downloads/{downloadId}';
};

export type GetDownloadErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type GetDownloadError = GetDownloadErrors[keyof GetDownloadErrors];

export type GetDownloadResponses = {
    /**
     * The download has ended as a success or a failure
     */
    200: DownloadResult;
    /**
     * The job has not ended
     */
    202: DownloadResult;
};

export type GetDownloadResponse = GetDownloadResponses[keyof GetDownloadResponses];

export type FollowDownloadData = {
    body?: never;
    headers?: {
        /**
         * The ID of the last event that was received: the stream continues after it
         */
        'last-event-id'?: string;
    };
    path: {
        /**
         * ULID
         */
        downloadId: Ulid;
    };
    query?: never;
    url: '/api/downloads/{downloadId}/events';
};

export type FollowDownloadErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type FollowDownloadError = FollowDownloadErrors[keyof FollowDownloadErrors];

export type FollowDownloadResponses = {
    /**
     * Server-sent events (WHATWG HTML, section 9.2). The `data` of each event is JSON of this schema.
     */
    200: string;
    /**
     * The reader has received the end already, according to `Last-Event-ID`
     */
    204: void;
};

export type FollowDownloadResponse = FollowDownloadResponses[keyof FollowDownloadResponses];

export type FollowDownloadsData = {
    body?: never;
    headers?: {
        /**
         * The ID of the last event that was received: the stream continues after it
         */
        'last-event-id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/downloads/events';
};

export type FollowDownloadsErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type FollowDownloadsError = FollowDownloadsErrors[keyof FollowDownloadsErrors];

export type FollowDownloadsResponses = {
    /**
     * Server-sent events (WHATWG HTML, section 9.2). The `data` of each event is JSON of this schema.
     */
    200: string;
};

export type FollowDownloadsResponse = FollowDownloadsResponses[keyof FollowDownloadsResponses];

export type RemoveContentsData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        downloadId: Ulid;
    };
    query?: never;
    url: '/api/downloads/{downloadId}/contents';
};

export type RemoveContentsErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * contents_in_use, not_ready
     */
    409: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type RemoveContentsError = RemoveContentsErrors[keyof RemoveContentsErrors];

export type RemoveContentsResponses = {
    /**
     * The record, which stays
     */
    200: DownloadResult;
};

export type RemoveContentsResponse = RemoveContentsResponses[keyof RemoveContentsResponses];

export type ResolveData = {
    body?: never;
    path?: never;
    query: {
        /**
         * A URL, handle, name or id of either platform, or the URL of a page of any other site
         */
        url: string;
    };
    url: '/api/resolve';
};

export type ResolveErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ResolveError = ResolveErrors[keyof ResolveErrors];

export type ResolveResponses = {
    /**
     * The possible meanings
     */
    200: Resolved;
};

export type ResolveResponse = ResolveResponses[keyof ResolveResponses];

export type GetResultData = {
    body?: never;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
    };
    path: {
        /**
         * ULID
         */
        downloadId: Ulid;
    };
    query?: {
        /**
         * Only a page of the list in the result, with at most so many items; 100 with `cursor` alone
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page
         */
        cursor?: string;
    };
    url: '/api/downloads/{downloadId}/result';
};

export type GetResultErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type GetResultError = GetResultErrors[keyof GetResultErrors];

export type GetResultResponses = {
    /**
     * The result of the job, or why it failed
     */
    200: JobResult;
    /**
     * The job has not ended
     */
    202: JobResult;
};

export type GetResultResponse = GetResultResponses[keyof GetResultResponses];

export type GetJobData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        downloadId: Ulid;
    };
    query?: never;
    url: '/api/downloads/{downloadId}/job';
};

export type GetJobErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type GetJobError = GetJobErrors[keyof GetJobErrors];

export type GetJobResponses = {
    /**
     * Its failure, files, workflow, and the request that repeats it
     */
    200: JobDetails;
};

export type GetJobResponse = GetJobResponses[keyof GetJobResponses];

export type RequestChannelData = {
    body: ChannelRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 25) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/channel/profile';
};

export type RequestChannelErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | VidnetFailedResult;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | VidnetFailedResult;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestChannelError = RequestChannelErrors[keyof RequestChannelErrors];

export type RequestChannelResponses = {
    /**
     * The profile
     */
    200: ChannelProfile;
    /**
     * The job has not ended
     */
    202: VidnetPendingResult;
};

export type RequestChannelResponse = RequestChannelResponses[keyof RequestChannelResponses];

export type RequestTranscriptData = {
    body: TranscriptRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 25) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/transcripts';
};

export type RequestTranscriptErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | VidnetFailedResult;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | VidnetFailedResult;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestTranscriptError = RequestTranscriptErrors[keyof RequestTranscriptErrors];

export type RequestTranscriptResponses = {
    /**
     * The transcript
     */
    200: Transcript;
    /**
     * The job has not ended
     */
    202: VidnetPendingResult;
};

export type RequestTranscriptResponse = RequestTranscriptResponses[keyof RequestTranscriptResponses];

export type GetTranscriptData = {
    body?: never;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
    };
    path: {
        /**
         * ULID
         */
        downloadId: Ulid;
    };
    query?: never;
    url: '/api/transcripts/{downloadId}';
};

export type GetTranscriptErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type GetTranscriptError = GetTranscriptErrors[keyof GetTranscriptErrors];

export type GetTranscriptResponses = {
    /**
     * The transcript, or why the job failed
     */
    200: Transcript | VidnetFailedResult;
    /**
     * The job has not ended
     */
    202: VidnetPendingResult;
};

export type GetTranscriptResponse = GetTranscriptResponses[keyof GetTranscriptResponses];

export type ExportTranscriptData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        downloadId: Ulid;
        format: 'srt' | 'vtt' | 'txt';
    };
    query?: never;
    url: '/api/transcripts/{downloadId}.{format}';
};

export type ExportTranscriptErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * not_ready
     */
    409: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ExportTranscriptError = ExportTranscriptErrors[keyof ExportTranscriptErrors];

export type ExportTranscriptResponses = {
    /**
     * The file
     */
    200: string;
};

export type ExportTranscriptResponse = ExportTranscriptResponses[keyof ExportTranscriptResponses];

export type RequestSpeechData = {
    body: SpeechRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/speech';
};

export type RequestSpeechErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden, audio_failed
     */
    400: Error | SpeakerLabelsFailed;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | SpeakerLabelsFailed;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestSpeechError = RequestSpeechErrors[keyof RequestSpeechErrors];

export type RequestSpeechResponses = {
    /**
     * The transcript, which is empty if there is no speech
     */
    200: SpeakerLabels;
    /**
     * The audio is being downloaded or transcribed
     */
    202: SpeakerLabelsPending;
};

export type RequestSpeechResponse = RequestSpeechResponses[keyof RequestSpeechResponses];

export type GetSpeechData = {
    body?: never;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
    };
    path: {
        /**
         * ULID
         */
        downloadId: Ulid;
    };
    query?: never;
    url: '/api/speech/{downloadId}';
};

export type GetSpeechErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type GetSpeechError = GetSpeechErrors[keyof GetSpeechErrors];

export type GetSpeechResponses = {
    /**
     * The transcript, which is empty if there is no speech, or why the job failed
     */
    200: SpeakerLabels | SpeakerLabelsFailed;
    /**
     * The audio is being downloaded or transcribed
     */
    202: SpeakerLabelsPending;
};

export type GetSpeechResponse = GetSpeechResponses[keyof GetSpeechResponses];

export type RequestSpeakerLabelsData = {
    body: SpeakerLabelsRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/transcriptspeakerid';
};

export type RequestSpeakerLabelsErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden, audio_failed
     */
    400: Error | SpeakerLabelsFailed;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | SpeakerLabelsFailed;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestSpeakerLabelsError = RequestSpeakerLabelsErrors[keyof RequestSpeakerLabelsErrors];

export type RequestSpeakerLabelsResponses = {
    /**
     * The transcript, which is empty if there is no speech
     */
    200: SpeakerLabels;
    /**
     * The audio is still being downloaded or transcribed
     */
    202: SpeakerLabelsPending | AudioRequired;
};

export type RequestSpeakerLabelsResponse = RequestSpeakerLabelsResponses[keyof RequestSpeakerLabelsResponses];

export type GetSpeakerLabelsData = {
    body?: never;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
    };
    path: {
        /**
         * The `transcript_speaker_id` of the audio or the `download_id` of the job
         */
        id: string;
    };
    query?: never;
    url: '/api/transcriptspeakerid/{id}';
};

export type GetSpeakerLabelsErrors = {
    /**
     * invalid_input, audio_failed
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type GetSpeakerLabelsError = GetSpeakerLabelsErrors[keyof GetSpeakerLabelsErrors];

export type GetSpeakerLabelsResponses = {
    /**
     * The transcript, which is empty if there is no speech, or why the job failed
     */
    200: SpeakerLabels | SpeakerLabelsFailed;
    /**
     * The audio is still being downloaded or transcribed
     */
    202: SpeakerLabelsPending | AudioRequired;
};

export type GetSpeakerLabelsResponse = GetSpeakerLabelsResponses[keyof GetSpeakerLabelsResponses];

export type GetSpokenWordsData = {
    body?: never;
    path: {
        /**
         * The `transcript_speaker_id` of the audio or the `download_id` of the job
         */
        id: string;
    };
    query?: never;
    url: '/api/transcriptspeakerid/{id}/words';
};

export type GetSpokenWordsErrors = {
    /**
     * invalid_input, audio_failed
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * not_ready
     */
    409: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type GetSpokenWordsError = GetSpokenWordsErrors[keyof GetSpokenWordsErrors];

export type GetSpokenWordsResponses = {
    /**
     * The words
     */
    200: SpokenWords;
};

export type GetSpokenWordsResponse = GetSpokenWordsResponses[keyof GetSpokenWordsResponses];

export type NameSpeakersData = {
    body: NameSpeakersRequest;
    path: {
        /**
         * The `transcript_speaker_id` of the audio or the `download_id` of the job
         */
        id: string;
    };
    query?: never;
    url: '/api/transcriptspeakerid/{id}/names';
};

export type NameSpeakersErrors = {
    /**
     * invalid_input, invalid_json, audio_failed
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * not_ready
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type NameSpeakersError = NameSpeakersErrors[keyof NameSpeakersErrors];

export type NameSpeakersResponses = {
    /**
     * The names
     */
    200: NamedSpeakers;
};

export type NameSpeakersResponse = NameSpeakersResponses[keyof NameSpeakersResponses];

export type ExportSpeakerLabelsData = {
    body?: never;
    path: {
        /**
         * The `transcript_speaker_id` of the audio or the `download_id` of the job
         */
        id: string;
        format: 'srt' | 'vtt' | 'txt' | 'rttm';
    };
    query?: never;
    url: '/api/transcriptspeakerid/{id}.{format}';
};

export type ExportSpeakerLabelsErrors = {
    /**
     * invalid_input, audio_failed
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * not_ready
     */
    409: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ExportSpeakerLabelsError = ExportSpeakerLabelsErrors[keyof ExportSpeakerLabelsErrors];

export type ExportSpeakerLabelsResponses = {
    /**
     * The file
     */
    200: string;
};

export type ExportSpeakerLabelsResponse = ExportSpeakerLabelsResponses[keyof ExportSpeakerLabelsResponses];

export type RequestImgnetProfileData = {
    body: ImgnetProfileRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/imgnet/profile';
};

export type RequestImgnetProfileErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | FailedResult;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | FailedResult;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestImgnetProfileError = RequestImgnetProfileErrors[keyof RequestImgnetProfileErrors];

export type RequestImgnetProfileResponses = {
    /**
     * The profile
     */
    200: ImgnetProfile;
    /**
     * The job has not ended
     */
    202: ImgnetProfilePending;
};

export type RequestImgnetProfileResponse = RequestImgnetProfileResponses[keyof RequestImgnetProfileResponses];

export type RequestImgnetListData = {
    body: ImgnetListRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/imgnet/list';
};

export type RequestImgnetListErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | ImgnetListFailed;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, not_ready, idempotency_key_in_use
     */
    409: Error;
    /**
     * list_id_expired
     */
    410: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | ImgnetListFailed;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestImgnetListError = RequestImgnetListErrors[keyof RequestImgnetListErrors];

export type RequestImgnetListResponses = {
    /**
     * The list, or the part of it that could be fetched
     */
    200: ImgnetList;
    /**
     * A part of the list is still being fetched
     */
    202: ImgnetListPending;
};

export type RequestImgnetListResponse = RequestImgnetListResponses[keyof RequestImgnetListResponses];

export type RequestImgnetContentData = {
    body: ImgnetPostRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/imgnet/content';
};

export type RequestImgnetContentErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | FailedResult;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | FailedResult;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestImgnetContentError = RequestImgnetContentErrors[keyof RequestImgnetContentErrors];

export type RequestImgnetContentResponses = {
    /**
     * The post or reel
     */
    200: ImgnetPost | ImgnetReel;
    /**
     * The job has not ended
     */
    202: ImgnetContentPending;
};

export type RequestImgnetContentResponse = RequestImgnetContentResponses[keyof RequestImgnetContentResponses];

export type RequestImgnetAudioData = {
    body: ImgnetPostRequest;
    headers?: {
        /**
         * RFC 7240: `wait=N` waits up to N seconds (at most 60, by default 0) for the result
         */
        prefer?: string;
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/imgnet/audio';
};

export type RequestImgnetAudioErrors = {
    /**
     * The job failed, because its subject is not available; or invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | ImgnetAudioFailed;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * too_many_webhooks, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * The job failed, because of the platform or this service; or internal
     */
    500: Error | ImgnetAudioFailed;
    /**
     * unavailable
     */
    503: Error;
};

export type RequestImgnetAudioError = RequestImgnetAudioErrors[keyof RequestImgnetAudioErrors];

export type RequestImgnetAudioResponses = {
    /**
     * The audio, or the information that there is none
     */
    200: ImgnetAudioResult;
    /**
     * The job has not ended
     */
    202: ImgnetAudioResult;
};

export type RequestImgnetAudioResponse = RequestImgnetAudioResponses[keyof RequestImgnetAudioResponses];

export type ListBatchesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of items on a page
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page
         */
        cursor?: string;
    };
    url: '/api/batches';
};

export type ListBatchesErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ListBatchesError = ListBatchesErrors[keyof ListBatchesErrors];

export type ListBatchesResponses = {
    /**
     * A page of batches
     */
    200: BatchList;
};

export type ListBatchesResponse = ListBatchesResponses[keyof ListBatchesResponses];

export type CreateBatchData = {
    body: BatchRequest;
    headers?: {
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/batches';
};

export type CreateBatchErrors = {
    /**
     * invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type CreateBatchError = CreateBatchErrors[keyof CreateBatchErrors];

export type CreateBatchResponses = {
    /**
     * The batch was started
     */
    202: Batch;
};

export type CreateBatchResponse = CreateBatchResponses[keyof CreateBatchResponses];

export type GetBatchData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        batchId: Ulid;
    };
    query?: never;
    url: '/api/batches/{batchId}';
};

export type GetBatchErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type GetBatchError = GetBatchErrors[keyof GetBatchErrors];

export type GetBatchResponses = {
    /**
     * The batch
     */
    200: Batch;
};

export type GetBatchResponse = GetBatchResponses[keyof GetBatchResponses];

export type ListBatchItemsData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        batchId: Ulid;
    };
    query?: {
        /**
         * Only items in this state
         */
        state?: 'waiting' | 'running' | 'success' | 'failed' | 'skipped' | 'cancelled';
        /**
         * Maximum number of items on a page
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page
         */
        cursor?: number | null;
    };
    url: '/api/batches/{batchId}/items';
};

export type ListBatchItemsErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ListBatchItemsError = ListBatchItemsErrors[keyof ListBatchItemsErrors];

export type ListBatchItemsResponses = {
    /**
     * A page of items, in the order of the request
     */
    200: BatchItems;
};

export type ListBatchItemsResponse = ListBatchItemsResponses[keyof ListBatchItemsResponses];

export type FollowBatchData = {
    body?: never;
    headers?: {
        /**
         * The ID of the last event that was received: the stream continues after it
         */
        'last-event-id'?: string;
    };
    path: {
        /**
         * ULID
         */
        batchId: Ulid;
    };
    query?: never;
    url: '/api/batches/{batchId}/events';
};

export type FollowBatchErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type FollowBatchError = FollowBatchErrors[keyof FollowBatchErrors];

export type FollowBatchResponses = {
    /**
     * Server-sent events (WHATWG HTML, section 9.2). The `data` of each event is JSON of this schema.
     */
    200: string;
    /**
     * The reader has received the end already, according to `Last-Event-ID`
     */
    204: void;
};

export type FollowBatchResponse = FollowBatchResponses[keyof FollowBatchResponses];

export type ArchiveBatchData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        batchId: Ulid;
    };
    query?: never;
    url: '/api/batches/{batchId}/archive.zip';
};

export type ArchiveBatchErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ArchiveBatchError = ArchiveBatchErrors[keyof ArchiveBatchErrors];

export type ArchiveBatchResponses = {
    /**
     * The files and results of the items that have ended, and `manifest.json`, which lists all items
     */
    200: Blob | File;
};

export type ArchiveBatchResponse = ArchiveBatchResponses[keyof ArchiveBatchResponses];

export type CancelBatchData = {
    body?: never;
    headers?: {
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path: {
        /**
         * ULID
         */
        batchId: Ulid;
    };
    query?: never;
    url: '/api/batches/{batchId}/cancel';
};

export type CancelBatchErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * already_finished, idempotency_key_in_use
     */
    409: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type CancelBatchError = CancelBatchErrors[keyof CancelBatchErrors];

export type CancelBatchResponses = {
    /**
     * The batch is being cancelled
     */
    202: Batch;
};

export type CancelBatchResponse = CancelBatchResponses[keyof CancelBatchResponses];

export type ResumeBatchData = {
    body?: ResumeBatchRequest;
    headers?: {
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path: {
        /**
         * ULID
         */
        batchId: Ulid;
    };
    query?: never;
    url: '/api/batches/{batchId}/resume';
};

export type ResumeBatchErrors = {
    /**
     * invalid_input, invalid_json
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * not_ready, idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ResumeBatchError = ResumeBatchErrors[keyof ResumeBatchErrors];

export type ResumeBatchResponses = {
    /**
     * The batch continues
     */
    202: Batch;
};

export type ResumeBatchResponse = ResumeBatchResponses[keyof ResumeBatchResponses];

export type RetryBatchData = {
    body?: never;
    headers?: {
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path: {
        /**
         * ULID
         */
        batchId: Ulid;
    };
    query?: never;
    url: '/api/batches/{batchId}/retry';
};

export type RetryBatchErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * not_ready, already_finished, idempotency_key_in_use
     */
    409: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type RetryBatchError = RetryBatchErrors[keyof RetryBatchErrors];

export type RetryBatchResponses = {
    /**
     * The batch runs again
     */
    202: Batch;
};

export type RetryBatchResponse = RetryBatchResponses[keyof RetryBatchResponses];

export type ListSubscriptionsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of items on a page
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page
         */
        cursor?: string;
    };
    url: '/api/subscriptions';
};

export type ListSubscriptionsErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ListSubscriptionsError = ListSubscriptionsErrors[keyof ListSubscriptionsErrors];

export type ListSubscriptionsResponses = {
    /**
     * A page of subscriptions
     */
    200: SubscriptionList;
};

export type ListSubscriptionsResponse = ListSubscriptionsResponses[keyof ListSubscriptionsResponses];

export type CreateSubscriptionData = {
    body: SubscriptionRequest;
    headers?: {
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/subscriptions';
};

export type CreateSubscriptionErrors = {
    /**
     * invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * idempotency_key_in_use
     */
    409: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type CreateSubscriptionError = CreateSubscriptionErrors[keyof CreateSubscriptionErrors];

export type CreateSubscriptionResponses = {
    /**
     * The subscription, whose first check begins
     */
    202: Subscription;
};

export type CreateSubscriptionResponse = CreateSubscriptionResponses[keyof CreateSubscriptionResponses];

export type RemoveSubscriptionData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        subscriptionId: Ulid;
    };
    query?: never;
    url: '/api/subscriptions/{subscriptionId}';
};

export type RemoveSubscriptionErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type RemoveSubscriptionError = RemoveSubscriptionErrors[keyof RemoveSubscriptionErrors];

export type RemoveSubscriptionResponses = {
    /**
     * The subscription as it was
     */
    200: Subscription;
};

export type RemoveSubscriptionResponse = RemoveSubscriptionResponses[keyof RemoveSubscriptionResponses];

export type GetSubscriptionData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        subscriptionId: Ulid;
    };
    query?: never;
    url: '/api/subscriptions/{subscriptionId}';
};

export type GetSubscriptionErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type GetSubscriptionError = GetSubscriptionErrors[keyof GetSubscriptionErrors];

export type GetSubscriptionResponses = {
    /**
     * The subscription
     */
    200: Subscription;
};

export type GetSubscriptionResponse = GetSubscriptionResponses[keyof GetSubscriptionResponses];

export type ChangeSubscriptionData = {
    body: SubscriptionChange;
    path: {
        /**
         * ULID
         */
        subscriptionId: Ulid;
    };
    query?: never;
    url: '/api/subscriptions/{subscriptionId}';
};

export type ChangeSubscriptionErrors = {
    /**
     * invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ChangeSubscriptionError = ChangeSubscriptionErrors[keyof ChangeSubscriptionErrors];

export type ChangeSubscriptionResponses = {
    /**
     * The subscription
     */
    200: Subscription;
};

export type ChangeSubscriptionResponse = ChangeSubscriptionResponses[keyof ChangeSubscriptionResponses];

export type PauseSubscriptionData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        subscriptionId: Ulid;
    };
    query?: never;
    url: '/api/subscriptions/{subscriptionId}/pause';
};

export type PauseSubscriptionErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type PauseSubscriptionError = PauseSubscriptionErrors[keyof PauseSubscriptionErrors];

export type PauseSubscriptionResponses = {
    /**
     * The subscription is paused
     */
    200: Subscription;
};

export type PauseSubscriptionResponse = PauseSubscriptionResponses[keyof PauseSubscriptionResponses];

export type ResumeSubscriptionData = {
    body?: never;
    headers?: {
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path: {
        /**
         * ULID
         */
        subscriptionId: Ulid;
    };
    query?: never;
    url: '/api/subscriptions/{subscriptionId}/resume';
};

export type ResumeSubscriptionErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * idempotency_key_in_use
     */
    409: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ResumeSubscriptionError = ResumeSubscriptionErrors[keyof ResumeSubscriptionErrors];

export type ResumeSubscriptionResponses = {
    /**
     * The subscription continues with a check
     */
    202: Subscription;
};

export type ResumeSubscriptionResponse = ResumeSubscriptionResponses[keyof ResumeSubscriptionResponses];

export type CheckSubscriptionData = {
    body?: never;
    headers?: {
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path: {
        /**
         * ULID
         */
        subscriptionId: Ulid;
    };
    query?: never;
    url: '/api/subscriptions/{subscriptionId}/check';
};

export type CheckSubscriptionErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * not_ready, idempotency_key_in_use
     */
    409: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type CheckSubscriptionError = CheckSubscriptionErrors[keyof CheckSubscriptionErrors];

export type CheckSubscriptionResponses = {
    /**
     * A check has begun
     */
    202: Subscription;
};

export type CheckSubscriptionResponse = CheckSubscriptionResponses[keyof CheckSubscriptionResponses];

export type ListSubscriptionItemsData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        subscriptionId: Ulid;
    };
    query?: {
        /**
         * Maximum number of items on a page
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page
         */
        cursor?: string;
    };
    url: '/api/subscriptions/{subscriptionId}/items';
};

export type ListSubscriptionItemsErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ListSubscriptionItemsError = ListSubscriptionItemsErrors[keyof ListSubscriptionItemsErrors];

export type ListSubscriptionItemsResponses = {
    /**
     * A page of items
     */
    200: SubscriptionItems;
};

export type ListSubscriptionItemsResponse = ListSubscriptionItemsResponses[keyof ListSubscriptionItemsResponses];

export type ListFeedsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of items on a page
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page
         */
        cursor?: string;
    };
    url: '/api/feeds';
};

export type ListFeedsErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ListFeedsError = ListFeedsErrors[keyof ListFeedsErrors];

export type ListFeedsResponses = {
    /**
     * A page of feeds
     */
    200: FeedList;
};

export type ListFeedsResponse = ListFeedsResponses[keyof ListFeedsResponses];

export type CreateFeedData = {
    body: FeedRequest;
    path?: never;
    query?: never;
    url: '/api/feeds';
};

export type CreateFeedErrors = {
    /**
     * invalid_input, invalid_json
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type CreateFeedError = CreateFeedErrors[keyof CreateFeedErrors];

export type CreateFeedResponses = {
    /**
     * The feed with its addresses
     */
    200: Feed;
};

export type CreateFeedResponse = CreateFeedResponses[keyof CreateFeedResponses];

export type DeleteFeedData = {
    body?: never;
    path: {
        /**
         * ULID
         */
        feedId: Ulid;
    };
    query?: never;
    url: '/api/feeds/{feedId}';
};

export type DeleteFeedErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type DeleteFeedError = DeleteFeedErrors[keyof DeleteFeedErrors];

export type DeleteFeedResponses = {
    /**
     * The feed that was deleted
     */
    200: Feed;
};

export type DeleteFeedResponse = DeleteFeedResponses[keyof DeleteFeedResponses];

export type TestWebhookData = {
    body: WebhookTestRequest;
    path?: never;
    query?: never;
    url: '/api/webhook/test';
};

export type TestWebhookErrors = {
    /**
     * invalid_input, invalid_json, webhook_target_forbidden
     */
    400: Error | WebhookTestRefused;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * encoding_not_supported
     */
    415: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type TestWebhookError = TestWebhookErrors[keyof TestWebhookErrors];

export type TestWebhookResponses = {
    /**
     * The answer of the URL
     */
    200: WebhookTestResult;
};

export type TestWebhookResponse = TestWebhookResponses[keyof TestWebhookResponses];

export type ListDeliveriesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only deliveries of this download
         */
        download_id?: string;
        /**
         * Only deliveries in this state
         */
        state?: 'pending' | 'delivered' | 'abandoned';
        /**
         * Maximum number of items on a page
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page
         */
        cursor?: string;
    };
    url: '/api/webhook/deliveries';
};

export type ListDeliveriesErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type ListDeliveriesError = ListDeliveriesErrors[keyof ListDeliveriesErrors];

export type ListDeliveriesResponses = {
    /**
     * A page of deliveries
     */
    200: WebhookDeliveryList;
};

export type ListDeliveriesResponse = ListDeliveriesResponses[keyof ListDeliveriesResponses];

export type RedeliverWebhookData = {
    body?: never;
    headers?: {
        /**
         * A request that is repeated with the same key within a day starts nothing more and gets the same answer
         */
        'idempotency-key'?: string;
    };
    path: {
        /**
         * ID of a delivery
         */
        deliveryId: WebhookId;
    };
    query?: never;
    url: '/api/webhook/deliveries/{deliveryId}/redeliver';
};

export type RedeliverWebhookErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * delivery_pending, too_many_webhooks, idempotency_key_in_use
     */
    409: Error;
    /**
     * idempotency_key_reused
     */
    422: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type RedeliverWebhookError = RedeliverWebhookErrors[keyof RedeliverWebhookErrors];

export type RedeliverWebhookResponses = {
    /**
     * A new round of attempts was started
     */
    202: WebhookDelivery;
};

export type RedeliverWebhookResponse = RedeliverWebhookResponses[keyof RedeliverWebhookResponses];

export type GetAccountData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of items on a page
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page
         */
        cursor?: string;
    };
    url: '/api/account';
};

export type GetAccountErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * rate_limited, answers_unread
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type GetAccountError = GetAccountErrors[keyof GetAccountErrors];

export type GetAccountResponses = {
    /**
     * The account with a page of its ledger
     */
    200: Account;
};

export type GetAccountResponse = GetAccountResponses[keyof GetAccountResponses];

export type CheckLiveData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/live';
};

export type CheckLiveErrors = {
    /**
     * method_not_allowed
     */
    405: Error;
};

export type CheckLiveError = CheckLiveErrors[keyof CheckLiveErrors];

export type CheckLiveResponses = {
    /**
     * The process runs
     */
    200: Live;
};

export type CheckLiveResponse = CheckLiveResponses[keyof CheckLiveResponses];

export type CheckReadyData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/ready';
};

export type CheckReadyErrors = {
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * An engine cannot be reached, or the process is about to stop
     */
    503: Health;
};

export type CheckReadyError = CheckReadyErrors[keyof CheckReadyErrors];

export type CheckReadyResponses = {
    /**
     * All engines are reachable
     */
    200: Health;
};

export type CheckReadyResponse = CheckReadyResponses[keyof CheckReadyResponses];

export type CheckHealthData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/health';
};

export type CheckHealthErrors = {
    /**
     * forbidden
     */
    403: Error;
    /**
     * method_not_allowed
     */
    405: Error;
    /**
     * An engine cannot be reached
     */
    503: Health;
};

export type CheckHealthError = CheckHealthErrors[keyof CheckHealthErrors];

export type CheckHealthResponses = {
    /**
     * All engines are reachable
     */
    200: Health;
};

export type CheckHealthResponse = CheckHealthResponses[keyof CheckHealthResponses];

export type CreateUploadData = {
    body?: never;
    headers: {
        /**
         * The version of tus
         */
        'Tus-Resumable': '1.0.0';
        /**
         * The size of the file in bytes
         */
        'Upload-Length': number;
        /**
         * `filename` and `filetype` (such as `audio/mp4`), and optionally `include_webhook`: each a name and a value in Base64, separated by commas
         */
        'Upload-Metadata': string;
    };
    path?: never;
    query?: never;
    url: '/api/uploads';
};

export type CreateUploadErrors = {
    /**
     * invalid_input, webhook_target_forbidden
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * The version of tus is not supported
     */
    412: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * rate_limited
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type CreateUploadError = CreateUploadErrors[keyof CreateUploadErrors];

export type CreateUploadResponses = {
    /**
     * The upload, to which the bytes are sent. Its ID is also that of its job
     */
    201: unknown;
};

export type DeleteUploadData = {
    body?: never;
    headers: {
        /**
         * The version of tus
         */
        'Tus-Resumable': '1.0.0';
    };
    path: {
        /**
         * ULID
         */
        uploadId: Ulid;
    };
    query?: never;
    url: '/api/uploads/{uploadId}';
};

export type DeleteUploadErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * The version of tus is not supported
     */
    412: Error;
    /**
     * rate_limited
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type DeleteUploadError = DeleteUploadErrors[keyof DeleteUploadErrors];

export type DeleteUploadResponses = {
    /**
     * The upload is removed
     */
    204: void;
};

export type DeleteUploadResponse = DeleteUploadResponses[keyof DeleteUploadResponses];

export type GetUploadOffsetData = {
    body?: never;
    headers: {
        /**
         * The version of tus
         */
        'Tus-Resumable': '1.0.0';
    };
    path: {
        /**
         * ULID
         */
        uploadId: Ulid;
    };
    query?: never;
    url: '/api/uploads/{uploadId}';
};

export type GetUploadOffsetErrors = {
    /**
     * unauthorized
     */
    401: unknown;
    /**
     * forbidden
     */
    403: unknown;
    /**
     * not_found
     */
    404: unknown;
    /**
     * The version of tus is not supported
     */
    412: unknown;
    /**
     * rate_limited
     */
    429: unknown;
    /**
     * internal
     */
    500: unknown;
    /**
     * unavailable
     */
    503: unknown;
};

export type GetUploadOffsetResponses = {
    /**
     * The state of the upload
     */
    200: unknown;
};

export type SendUploadData = {
    body: Blob | File;
    headers: {
        /**
         * The version of tus
         */
        'Tus-Resumable': '1.0.0';
        /**
         * How many bytes have been received
         */
        'Upload-Offset'?: number | null;
    };
    path: {
        /**
         * ULID
         */
        uploadId: Ulid;
    };
    query?: never;
    url: '/api/uploads/{uploadId}';
};

export type SendUploadErrors = {
    /**
     * invalid_input
     */
    400: Error;
    /**
     * unauthorized
     */
    401: Error;
    /**
     * insufficient_credit
     */
    402: Error;
    /**
     * forbidden
     */
    403: Error;
    /**
     * not_found
     */
    404: Error;
    /**
     * The offset is not that of the upload
     */
    409: Error;
    /**
     * The version of tus is not supported
     */
    412: Error;
    /**
     * body_too_large
     */
    413: Error;
    /**
     * The content type is not application/offset+octet-stream
     */
    415: Error;
    /**
     * rate_limited
     */
    429: Error;
    /**
     * internal
     */
    500: Error;
    /**
     * unavailable
     */
    503: Error;
};

export type SendUploadError = SendUploadErrors[keyof SendUploadErrors];

export type SendUploadResponses = {
    /**
     * The bytes are stored
     */
    204: void;
};

export type SendUploadResponse = SendUploadResponses[keyof SendUploadResponses];

export type RequestAudioEndedWebhookPayload = AudioResult | AudioFailed;

export type RequestAudioEndedWebhookRequest = {
    body: RequestAudioEndedWebhookPayload;
    key: 'downloads/audio';
    path?: never;
    query?: never;
};

export type RequestVideoEndedWebhookPayload = VideoResult | VideoFailed;

export type RequestVideoEndedWebhookRequest = {
    body: RequestVideoEndedWebhookPayload;
    key: 'downloads/video';
    path?: never;
    query?: never;
};

export type RequestMediaEndedWebhookPayload = MediaResult | MediaFailed;

export type RequestMediaEndedWebhookRequest = {
    body: RequestMediaEndedWebhookPayload;
    key: 'downloads/media';
    path?: never;
    query?: never;
};

export type RequestMediaInfoEndedWebhookPayload = MediaInfo | FailedResult;

export type RequestMediaInfoEndedWebhookRequest = {
    body: RequestMediaInfoEndedWebhookPayload;
    key: 'media/info';
    path?: never;
    query?: never;
};

export type RequestChannelEndedWebhookPayload = ChannelProfile | VidnetFailedResult;

export type RequestChannelEndedWebhookRequest = {
    body: RequestChannelEndedWebhookPayload;
    key: 'channel/videos';
    path?: never;
    query?: never;
};

export type RequestTranscriptEndedWebhookPayload = Transcript | VidnetFailedResult;

export type RequestTranscriptEndedWebhookRequest = {
    body: RequestTranscriptEndedWebhookPayload;
    key: 'transcripts';
    path?: never;
    query?: never;
};

export type RequestSpeakerLabelsEndedWebhookPayload = SpeakerLabels | SpeakerLabelsFailed;

export type RequestSpeakerLabelsEndedWebhookRequest = {
    body: RequestSpeakerLabelsEndedWebhookPayload;
    key: 'transcriptspeakerid';
    path?: never;
    query?: never;
};

export type RequestImgnetProfileEndedWebhookPayload = ImgnetProfile | FailedResult;

export type RequestImgnetProfileEndedWebhookRequest = {
    body: RequestImgnetProfileEndedWebhookPayload;
    key: 'imgnet/profile';
    path?: never;
    query?: never;
};

export type RequestImgnetListEndedWebhookPayload = ImgnetList | ImgnetListFailed;

export type RequestImgnetListEndedWebhookRequest = {
    body: RequestImgnetListEndedWebhookPayload;
    key: 'imgnet/list';
    path?: never;
    query?: never;
};

export type RequestImgnetContentEndedWebhookPayload = ImgnetPost | ImgnetReel | FailedResult;

export type RequestImgnetContentEndedWebhookRequest = {
    body: RequestImgnetContentEndedWebhookPayload;
    key: 'imgnet/content';
    path?: never;
    query?: never;
};

export type RequestImgnetAudioEndedWebhookPayload = {
    data: ImgnetAudioRecord;
} | ImgnetNoAudio | ImgnetAudioFailed;

export type RequestImgnetAudioEndedWebhookRequest = {
    body: RequestImgnetAudioEndedWebhookPayload;
    key: 'imgnet/audio';
    path?: never;
    query?: never;
};

export type CreateUploadEndedWebhookPayload = UploadResult | UploadFailed;

export type CreateUploadEndedWebhookRequest = {
    body: CreateUploadEndedWebhookPayload;
    key: 'uploads';
    path?: never;
    query?: never;
};

export type CreateBatchEndedWebhookPayload = Batch;

export type CreateBatchEndedWebhookRequest = {
    body: CreateBatchEndedWebhookPayload;
    key: 'batches';
    path?: never;
    query?: never;
};

export type SubscriptionPausedWebhookPayload = Subscription;

export type SubscriptionPausedWebhookRequest = {
    body: SubscriptionPausedWebhookPayload;
    key: 'subscriptions';
    path?: never;
    query?: never;
};

export type TestWebhookSentWebhookPayload = WebhookTestBody;

export type TestWebhookSentWebhookRequest = {
    body: TestWebhookSentWebhookPayload;
    key: 'webhook/test';
    path?: never;
    query?: never;
};
